const REST_FIRST_MS = 1_000;
const REST_MAX_MS = 15_000;

type State = { gateway: URL; failures: number; restsUntilMs: number };

/** Which gateway to use next: in turn, leaving out those that lately did not answer for 1 s, 2 s, … 15 s. */
export function createGatewayChoice(gateways: readonly URL[]) {
  const states = gateways.map((gateway): State => ({ gateway, failures: 0, restsUntilMs: 0 }));
  let turn = 0;
  const stateOf = (gateway: URL) => states.find((state) => state.gateway === gateway);
  return {
    /** A gateway, or how long to wait until one may be tried again. */
    choose(nowMs: number): { gateway: URL } | { waitMs: number } {
      for (let i = 0; i < states.length; i += 1) {
        const state = states[(turn + i) % states.length];
        if (state === undefined || state.restsUntilMs > nowMs) continue;
        turn = (turn + i + 1) % states.length;
        return { gateway: state.gateway };
      }
      return { waitMs: Math.max(1, Math.min(...states.map((s) => s.restsUntilMs)) - nowMs) };
    },
    /** True when this is news: it answered before. */
    failed(gateway: URL, nowMs: number): boolean {
      const state = stateOf(gateway);
      if (state === undefined || state.restsUntilMs > nowMs) return false;
      state.restsUntilMs = nowMs + Math.min(REST_MAX_MS, REST_FIRST_MS * 2 ** state.failures);
      state.failures += 1;
      return state.failures === 1;
    },
    /** True when this is news: it did not answer before. */
    answered(gateway: URL): boolean {
      const state = stateOf(gateway);
      if (state === undefined || state.failures === 0) return false;
      state.failures = 0;
      state.restsUntilMs = 0;
      return true;
    },
  };
}

export type GatewayChoice = ReturnType<typeof createGatewayChoice>;
