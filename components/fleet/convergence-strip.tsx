import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";
import { formatMs, formatPlural } from "@/components/ui/format";
import { Status, type StatusTone } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";

export type GatewayState = "applied" | "behind" | "refused" | "silent";

export type ConvergenceGateway = {
  id: string;
  /** The version it runs now. */
  version: number | null;
  state: GatewayState;
  /** When it applied the target version, or was last heard. */
  at: string | null;
  reason?: string | null;
};

type ConvergenceStripProps = {
  version: number;
  gateways: readonly ConvergenceGateway[];
  /** Time from publish to the last gateway, once all have it. */
  tookMs: number | null;
  /** Such as an Undo button. */
  actions?: ReactNode;
};

const looks: Record<GatewayState, { tone: StatusTone; word: string; bar: string }> = {
  applied: { tone: "success", word: "applied", bar: "bg-success" },
  behind: { tone: "pending", word: "behind", bar: "bg-accent/40" },
  refused: { tone: "danger", word: "refused it", bar: "bg-danger" },
  silent: { tone: "warning", word: "silent", bar: "bg-warning" },
};

const order: readonly GatewayState[] = ["refused", "silent", "behind", "applied"];

/** How far a version has come: applied on n of m, and each gateway by name, trouble first. */
export function ConvergenceStrip({ version, gateways, tookMs, actions }: ConvergenceStripProps) {
  const sorted = [...gateways].sort(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.id.localeCompare(b.id),
  );
  return (
    <section
      aria-label={`Convergence of version ${version}`}
      className="rounded-lg border bg-surface"
    >
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3">
        <p role="status" className="font-medium">
          {headline(version, gateways, tookMs)}
        </p>
        {actions}
      </div>
      <div
        aria-hidden
        className="mx-4 mt-2 flex h-1.5 gap-0.5 overflow-hidden rounded-full bg-sunken"
      >
        {sorted.toReversed().map((gateway) => (
          <span key={gateway.id} className={cn("flex-1", looks[gateway.state].bar)} />
        ))}
      </div>
      <ul className="grid gap-x-6 gap-y-1 px-4 py-3 text-sm sm:grid-cols-2 xl:grid-cols-3">
        {sorted.map((gateway) => (
          <GatewayLine key={gateway.id} gateway={gateway} />
        ))}
      </ul>
    </section>
  );
}

function headline(
  version: number,
  gateways: readonly ConvergenceGateway[],
  tookMs: number | null,
): string {
  if (gateways.length === 0) return `No gateway has reported: nobody runs v${version}`;
  const count = (state: GatewayState) => gateways.filter((each) => each.state === state).length;
  const silent = count("silent");
  const live = gateways.length - silent;
  const applied = `v${version} applied on ${count("applied")} of ${formatPlural(live, "live gateway")}`;
  const rest = [
    count("refused") > 0 && `${count("refused")} refused it`,
    silent > 0 && `${silent} silent`,
    silent === 0 && count("applied") === live && tookMs !== null && `in ${formatMs(tookMs)}`,
  ].filter((part) => part !== false);
  return [applied, ...rest].join(", ");
}

function GatewayLine({ gateway }: { gateway: ConvergenceGateway }) {
  const { tone, word } = looks[gateway.state];
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <Status tone={tone}>
        <UserText code truncate className="max-w-52">
          {gateway.id}
        </UserText>{" "}
        {word}
      </Status>
      <span className="text-muted">
        {gateway.state !== "applied" && gateway.version !== null && `on v${gateway.version} `}
        {gateway.at && <Time at={gateway.at} show="age" />}
      </span>
      {gateway.reason && <p className="w-full break-words ps-5 text-danger">{gateway.reason}</p>}
    </li>
  );
}
