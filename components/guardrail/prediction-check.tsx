import { formatCount, formatShare } from "@/components/ui/format";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { Enforcement } from "@/lib/core/api/enforcement";
import { planComparisons, predictionWords } from "./prediction-words";

/** What shadow foretold against what came: overall in a sentence, and by plan. */
export function PredictionCheck({ enforcement }: { enforcement: Enforcement }) {
  const rows = planComparisons(enforcement);
  return (
    <section aria-labelledby="prediction" className="flex flex-col gap-1.5">
      <h3 id="prediction" className="text-sm font-medium text-muted">
        Foretold, and what came
      </h3>
      <p>{predictionWords(enforcement)}</p>
      {rows.length > 0 && (
        <Table label="Foretold and actual refusals, by plan" stack>
          <TableHead>
            <Tr>
              <Th>Plan</Th>
              <Th align="end">Foretold</Th>
              <Th align="end">Refused</Th>
              <Th align="end">Of requests</Th>
              <Th>In words</Th>
            </Tr>
          </TableHead>
          <TableBody>
            {rows.map((row) => (
              <Tr key={row.plan}>
                <RowHead>
                  <UserText>{row.plan}</UserText>
                </RowHead>
                <Td label="Foretold" align="end">
                  {shareWords(row.predicted)}
                </Td>
                <Td label="Refused" align="end">
                  {shareWords(row.actual)}
                </Td>
                <Td label="Of requests" align="end">
                  {formatCount(row.rejections)} of {formatCount(row.requests)}
                </Td>
                <Td label="In words" className="text-muted">
                  {row.words}
                </Td>
              </Tr>
            ))}
          </TableBody>
        </Table>
      )}
    </section>
  );
}

function shareWords(share: number | null): string {
  return share === null ? "no data" : formatShare(share);
}
