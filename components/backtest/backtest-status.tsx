import { Status, type StatusTone } from "@/components/ui/status";
import type { BacktestRow } from "@/lib/core/api/backtests";

const looks: Record<BacktestRow["state"], [StatusTone, string]> = {
  waiting: ["pending", "Waits"],
  running: ["pending", "Runs"],
  done: ["success", "Done"],
  failed: ["danger", "Failed"],
  cancelled: ["neutral", "Cancelled"],
};

export function BacktestStatus({ state, progress }: Pick<BacktestRow, "state" | "progress">) {
  const [tone, word] = looks[state];
  return (
    <Status tone={tone}>
      {word}
      {state === "running" && `, ${Math.floor(progress * 100)}%`}
    </Status>
  );
}
