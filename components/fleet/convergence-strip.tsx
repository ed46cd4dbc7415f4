import type { ReactNode } from "react";
import { cn } from "@/components/ui/cn";
import { formatMs, formatPlural } from "@/components/ui/format";
import { Status, type StatusTone } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Convergence } from "@/lib/core/api/versions";

type Gateway = Convergence["gateways"][number];
type State = Gateway["state"];

type ConvergenceStripProps = {
  convergence: Pick<Convergence, "version" | "gateways" | "tookMs">;
  /** Such as an Undo button. */
  actions?: ReactNode;
};

const looks: Record<State, { tone: StatusTone; word: string; bar: string }> = {
  applied: { tone: "success", word: "applied", bar: "bg-success" },
  superseded: { tone: "neutral", word: "went on", bar: "bg-off" },
  pending: { tone: "pending", word: "not yet", bar: "bg-accent/40" },
  refused: { tone: "danger", word: "refused it", bar: "bg-danger" },
  silent: { tone: "warning", word: "silent", bar: "bg-warning" },
};

const order: readonly State[] = ["refused", "silent", "pending", "applied", "superseded"];

/** How far a version has come: applied on n of m, and each gateway by name, trouble first. */
export function ConvergenceStrip({ convergence, actions }: ConvergenceStripProps) {
  const { version } = convergence;
  const sorted = [...convergence.gateways].sort(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.id.localeCompare(b.id),
  );
  return (
    <section
      aria-label={`Convergence of version ${version}`}
      className="rounded-lg border bg-surface"
    >
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3">
        <p role="status" className="font-medium">
          {headline(convergence)}
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

function headline({ version, gateways, tookMs }: ConvergenceStripProps["convergence"]): string {
  if (gateways.length === 0) return `No gateway has reported: nobody runs v${version}`;
  const count = (state: State) => gateways.filter((each) => each.state === state).length;
  const applied = count("applied") + count("superseded");
  const silent = count("silent");
  const live = gateways.length - silent;
  return [
    `v${version} applied on ${applied} of ${formatPlural(live, "live gateway")}`,
    count("refused") > 0 && `${count("refused")} refused it`,
    silent > 0 && `${silent} silent`,
    silent === 0 && applied === live && tookMs !== null && `in ${formatMs(tookMs)}`,
  ]
    .filter((part) => part !== false)
    .join(", ");
}

function GatewayLine({ gateway }: { gateway: Gateway }) {
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
        {<Time at={gateway.appliedAt ?? gateway.lastSeenAt} show="age" />}
      </span>
      {gateway.reason && <p className="w-full break-words ps-5 text-danger">{gateway.reason}</p>}
    </li>
  );
}
