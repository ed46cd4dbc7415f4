import { formatUtc } from "@/components/ui/format";
import { Status } from "@/components/ui/status";

type AsOfProps = {
  at: string;
  reporting: number;
  gateways: number;
  /** Of a time that is over: the day is said too. */
  isPast?: boolean;
};

/** Under figures: how old they are and how much of the fleet stands behind them. */
export function AsOf({ at, reporting, gateways, isPast = false }: AsOfProps) {
  const time = `Data as of ${formatUtc(new Date(at), isPast ? "datetime" : "time")}`;
  if (gateways === 0) return <Status tone="warning">{time}, no gateway reporting</Status>;
  return (
    <Status tone={reporting < gateways ? "warning" : "neutral"} className="whitespace-normal">
      {time}, {reporting} of {gateways} {gateways === 1 ? "gateway" : "gateways"} reporting
    </Status>
  );
}
