import { formatMs } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import type { ConvergenceSummary } from "@/lib/core/api/versions";

type ConvergenceStatusProps = { convergence: ConvergenceSummary; live: boolean };

/** On how many gateways a version is, or was; for a row. */
export function ConvergenceStatus({ convergence, live }: ConvergenceStatusProps) {
  const { converged, applied, live: gateways, silent, tookMs } = convergence;
  if (gateways === 0 && silent === 0)
    return (
      <Status tone={live ? "warning" : "neutral"}>
        {live ? "no gateway reporting" : "no gateway took it"}
      </Status>
    );
  const verb = live ? "on" : "was on";
  const words = [
    `${verb} ${applied} of ${gateways} ${gateways === 1 ? "gateway" : "gateways"}`,
    ...(silent > 0 ? [`${silent} silent`] : []),
    ...(tookMs === null ? [] : [`in ${formatMs(tookMs)}`]),
  ].join(", ");
  return <Status tone={converged ? "success" : live ? "pending" : "warning"}>{words}</Status>;
}
