/** Names of what the control plane keeps in Redis. None has a TTL, none has braces (those mark state keys). */
export type ControlKeys = {
  /** Hash: epoch, version, hash, document. */
  snapshot: string;
  /** Hash: epoch, seq, document. */
  directory: string;
  /** Stream of directory deltas, ids `<seq>-0`. */
  directoryDeltas: string;
  /** JSON {live, silent}. */
  fleet: string;
  /** Stream of count batches. */
  counts: string;
  /** Stream of heartbeats. */
  heartbeats: string;
  /** Stream of tape blocks. */
  tape: string;
  /** Pub/sub channel of notices. */
  notices: string;
  /** Pub/sub channel on which gateways tell each other their demand under fleet rules. */
  demand: string;
};

export function controlKeys(environment: string): ControlKeys {
  const name = (what: string) => `hg:${environment}:control:${what}`;
  return {
    snapshot: name("snapshot"),
    directory: name("directory"),
    directoryDeltas: name("directory-deltas"),
    fleet: name("fleet"),
    counts: name("counts"),
    heartbeats: name("heartbeats"),
    tape: name("tape"),
    notices: name("notices"),
    demand: name("demand"),
  };
}
