import type { StatusTone } from "@/components/ui/status";
import type { GatewayList, GatewayRow } from "@/lib/core/api/gateways";
import { ALL_RULES } from "@/lib/core/stop-enforcing";

/** `2 of 2 on v14`, then what is wrong, gateway by gateway. */
export function fleetHeadline({ current, convergence, items }: Fleet): string {
  const { live, applied, silent } = convergence;
  if (items.length === 0) return "No gateway has reported yet";
  const words = [`${applied} of ${live} live on v${current.version}`];
  if (silent > 0) words.push(`${silent} silent`);
  const refusing = items.filter(({ refused }) => refused !== null).length;
  if (refusing > 0) words.push(`${refusing} refused it`);
  const local = items.filter(({ state, mode }) => state === "live" && mode === "local").length;
  if (local > 0) words.push(`${local} limiting by its own share`);
  const stopped = items.filter(({ state, stopEnforcing }) => state === "live" && stopEnforcing);
  if (stopped.length > 0) words.push(`${stopped.length} told not to enforce`);
  return words.join(", ");
}

type Fleet = Pick<GatewayList, "current" | "convergence" | "items">;

export function fleetTone({ convergence, items }: Fleet): StatusTone {
  if (items.length === 0) return "neutral";
  if (convergence.live === 0) return "danger";
  const isTroubled = items.some(
    ({ state, mode, refused }) => refused !== null || (state === "live" && mode === "local"),
  );
  if (isTroubled) return "danger";
  const isStopped = items.some(({ state, stopEnforcing }) => state === "live" && stopEnforcing);
  if (convergence.silent > 0 || isStopped) return "warning";
  return convergence.converged ? "success" : "pending";
}

/** `anything`, or the rules by id. */
export function stoppedWords(rules: readonly string[]): string {
  const named = rules.filter((rule) => rule !== ALL_RULES);
  const words = [...(named.length < rules.length ? ["any rule"] : []), ...named.slice(0, 5)];
  return `${words.join(", ")}${named.length > 5 ? ` and ${named.length - 5} more` : ""}`;
}

export const gatewayStates = {
  live: { tone: "success", word: "live" },
  silent: { tone: "danger", word: "silent" },
  drained: { tone: "neutral", word: "drained" },
  dismissed: { tone: "neutral", word: "dismissed" },
  gone: { tone: "neutral", word: "gone" },
} as const satisfies Record<GatewayRow["state"], { tone: StatusTone; word: string }>;

export const sourceWords = {
  push: "pushed by Redis",
  poll: "polled from Redis",
  http: "from the console",
  file: "from its boot file",
} as const satisfies Record<NonNullable<GatewayRow["source"]>, string>;

const ADMIN_OFFSET = 1000;

/** Host and port as a gateway's id names them, unless it was given another: `<host>-<port>`. */
function addressIn(id: string): { host: string; port: number } | null {
  const match = /^(.+)-(\d{2,5})$/.exec(id);
  const [, host = "", port = ""] = match ?? [];
  return match !== null && Number(port) + ADMIN_OFFSET <= 65_535
    ? { host, port: Number(port) }
    : null;
}

/** Where clients reach a gateway, as far as its id tells. */
export function gatewayUrl(id: string | undefined): string {
  const address = id === undefined ? null : addressIn(id);
  return address === null ? "http://GATEWAY-HOST:8081" : `http://${address.host}:${address.port}`;
}

/** How to ask a gateway itself, as far as its id tells where it is. */
export function statusCommand(id: string): { code: string; isGuess: boolean } {
  const address = addressIn(id);
  const at =
    address === null ? "GATEWAY-HOST:9081" : `${address.host}:${address.port + ADMIN_OFFSET}`;
  return { code: `curl -s http://${at}/status`, isGuess: address === null };
}
