import NextLink from "next/link";
import { formatCount, formatPlural } from "@/components/ui/format";
import { Status, type StatusTone } from "@/components/ui/status";
import type { ShellData } from "./shell-data";

type FleetSummaryProps = Pick<ShellData, "version" | "fleet">;

/** Whether every gateway runs the live version, in one line that leads to the gateways. */
export function FleetSummary({ version, fleet }: FleetSummaryProps) {
  const { tone, text } = summarise(version, fleet);
  return (
    <NextLink href="/gateways" className="rounded-md px-1.5 py-0.5 text-sm hover:bg-hover">
      <Status tone={tone}>{text}</Status>
    </NextLink>
  );
}

export function summarise(
  version: number,
  fleet: ShellData["fleet"],
): { tone: StatusTone; text: string } {
  const { live, applied, silent } = fleet;
  if (live === 0) {
    const text = silent > 0 ? `${formatPlural(silent, "gateway")} silent` : "No gateway reporting";
    return { tone: silent > 0 ? "danger" : "neutral", text };
  }
  const text = `${formatCount(applied)} of ${formatCount(live)} on v${version}`;
  if (silent > 0) return { tone: "warning", text: `${text}, ${formatCount(silent)} silent` };
  return { tone: applied === live ? "success" : "pending", text };
}
