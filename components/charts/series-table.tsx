import { ChevronRight } from "lucide-react";
import { formatCount, formatUtc } from "@/components/ui/format";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import type { TimeSeriesData } from "./series";

type SeriesTableProps = TimeSeriesData & { label: string };

/** A chart's figures as text: for screen readers, for copying, for those who prefer numbers. */
export function SeriesTable({ label, times, series, marks = [] }: SeriesTableProps) {
  return (
    <details className="group mt-1 text-sm">
      <summary className="inline-flex list-none items-center gap-1 rounded text-muted hover:text-text [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3.5 transition-transform group-open:rotate-90" />
        Show as table
      </summary>
      <div className="mt-2">
        <Table label={`${label}, as a table`} scrollClassName="max-h-72">
          <TableHead>
            <Tr>
              <Th>Time (UTC)</Th>
              {series.map((each) => (
                <Th key={each.key} align="end">
                  {each.label}
                </Th>
              ))}
              {marks.length > 0 && <Th>Published</Th>}
            </Tr>
          </TableHead>
          <TableBody>
            {times.map((time, index) => (
              <Tr key={time}>
                <RowHead className="h-7 py-0.5 font-normal tabular-nums">
                  {formatUtc(new Date(time), "minute").replace(" UTC", "")}
                </RowHead>
                {series.map((each) => (
                  <Td key={each.key} align="end" className="h-7 py-0.5">
                    {cell(each.values[index])}
                  </Td>
                ))}
                {marks.length > 0 && (
                  <Td className="h-7 py-0.5">
                    {marks
                      .filter(
                        (mark) =>
                          mark.at >= time &&
                          mark.at < (times[index + 1] ?? Number.POSITIVE_INFINITY),
                      )
                      .map((mark) => mark.label)
                      .join(", ")}
                  </Td>
                )}
              </Tr>
            ))}
          </TableBody>
        </Table>
      </div>
    </details>
  );
}

function cell(value: number | null | undefined): string {
  return value === null || value === undefined ? "no data" : formatCount(value);
}
