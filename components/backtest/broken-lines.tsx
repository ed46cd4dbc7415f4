import { Card } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { formatCount, formatPlural, formatShare } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import type { BacktestAnswerResult } from "@/lib/core/api/backtests";

type Lines = NonNullable<BacktestAnswerResult["lines"]>;

/** How a log was read: what could not be is counted, each kind with its first line. */
export function BrokenLines({ lines }: { lines: Lines }) {
  const { read, parsed, broken, problem } = lines;
  const bad = read - parsed;
  return (
    <Card
      title="Lines of the log"
      description={`${formatPlural(read, "line")} read, ${formatCount(bad)} broken${bad > 0 ? ` (${formatShare(bad / read)})` : ""}.`}
    >
      <div className="flex flex-col gap-3">
        {problem && <Status tone="danger">{problem}</Status>}
        {broken.map(({ reason, meaning, count, line, sample }) => (
          <div key={reason} className="min-w-0">
            <p>
              {formatPlural(count, "line")}: {meaning}. The first one is line {formatCount(line)}:
            </p>
            <CodeBlock code={sample === "" ? "(blank)" : sample} label="line" className="mt-1" />
          </div>
        ))}
      </div>
    </Card>
  );
}
