"use client";

import { Download } from "lucide-react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card, Stat, StatRow } from "@/components/ui/card";
import { formatPlural } from "@/components/ui/format";
import { Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { UserText } from "@/components/ui/user-text";
import type { KeyImportResult } from "@/lib/core/api/key-import";
import { csvLine } from "@/lib/core/csv";
import type { KeyImportRun } from "./use-key-import";

/** Of refused lines on the page; the file to download has every line. */
const SHOWN_MAX = 100;

export function KeyImportReport({ run }: { run: KeyImportRun }) {
  const { dryRun, state, total, results, stopped } = run;
  const count = (outcome: KeyImportResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  const refused = results.filter(({ outcome }) => outcome === "refused");
  const isDone = state === "done";
  return (
    <Card
      title={dryRun ? "Check" : "Import"}
      actions={
        isDone &&
        results.length > 0 && (
          <Button size="sm" onClick={() => download(results)}>
            <Download aria-hidden /> Report
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <div aria-live="polite">
          {isDone ? (
            <Verdict run={run} />
          ) : (
            <p className="text-sm">
              {state === "reading"
                ? "Reading the file…"
                : `${results.length.toLocaleString("en-US")} of ${formatPlural(total, "line")}`}
            </p>
          )}
        </div>
        {!isDone && (
          <progress
            aria-label="Lines done"
            className="h-2 w-full accent-accent"
            max={Math.max(1, total)}
            {...(state === "reading" ? {} : { value: results.length })}
          />
        )}
        <StatRow>
          <Stat label={dryRun ? "Would be made" : "Made"} value={count("made")} />
          <Stat label={dryRun ? "Would change" : "Changed"} value={count("changed")} />
          <Stat label="As they were" value={count("same")} />
          <Stat
            label="Refused"
            value={refused.length}
            tone={refused.length > 0 ? "danger" : "plain"}
          />
        </StatRow>
        {refused.length > 0 && <RefusedLines refused={refused} />}
        {stopped !== null && results.length > 0 && (
          <p className="text-sm text-muted">
            What came before was {dryRun ? "checked" : "taken"}; the file can be sent again.
          </p>
        )}
      </div>
    </Card>
  );
}

function Verdict({ run: { dryRun, results, stopped } }: { run: KeyImportRun }) {
  if (stopped !== null) return <Banner tone="danger" title={stopped} />;
  const refused = results.filter(({ outcome }) => outcome === "refused").length;
  if (refused > 0)
    return (
      <Banner
        tone="warning"
        title={`${formatPlural(refused, "line")} of ${results.length.toLocaleString("en-US")} ${refused === 1 ? "is" : "are"} refused; the others ${dryRun ? "are fine" : "were taken"}`}
      />
    );
  if (results.every(({ outcome }) => outcome === "same"))
    return <Banner tone="info" title="Nothing to do: every line is as it should be" />;
  return (
    <Banner
      tone="success"
      title={
        dryRun
          ? "Every line is fine"
          : "Every line was taken; gateways know the keys within a second"
      }
    />
  );
}

function RefusedLines({ refused }: { refused: readonly KeyImportResult[] }) {
  return (
    <div className="flex flex-col gap-2">
      <Table label="Refused lines" stack>
        <TableHead>
          <Tr>
            <Th>Line</Th>
            <Th>Why</Th>
          </Tr>
        </TableHead>
        <TableBody>
          {refused.slice(0, SHOWN_MAX).map(({ line, message = "" }) => (
            <Tr key={line}>
              <Td label="Line">{line}</Td>
              <Td label="Why">
                <UserText>{message}</UserText>
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
      {refused.length > SHOWN_MAX && (
        <p className="text-sm text-muted">
          The first {SHOWN_MAX} of {refused.length.toLocaleString("en-US")}: the report has all.
        </p>
      )}
    </div>
  );
}

function download(results: readonly KeyImportResult[]): void {
  const lines = results.map(({ line, outcome, id, message }) =>
    csvLine([line, outcome, id ?? "", message ?? ""]),
  );
  const text = `\uFEFF${csvLine(["line", "outcome", "id", "message"])}${lines.join("")}`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "headgate-import-report.csv";
  link.click();
  URL.revokeObjectURL(address);
}
