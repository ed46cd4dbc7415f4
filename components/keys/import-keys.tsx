"use client";

import { useId, useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Checkbox } from "@/components/ui/checkbox";
import { CodeBlock } from "@/components/ui/code-block";
import type { KeyActions } from "./key-actions";
import { KeyImportReport } from "./key-import-report";
import { useKeyImport } from "./use-key-import";

const EXAMPLE = `key,customer,plan,name
sk_live_4f0c19d2a7e84b6f,acme,paid,Production
sk_live_93b1e5c07d2f4a18,acme,paid,Staging`;

/** A file of keys: checked or imported, with progress, and what became of each line. */
export function ImportKeys({ send }: { send: KeyActions["import"] }) {
  const [file, setFile] = useState<File>();
  const [movePlans, setMovePlans] = useState(false);
  const { run, start, stop, forget } = useKeyImport(send);
  const inputId = useId();
  const isRunning = run !== undefined && run.state !== "done";
  const begin = (dryRun: boolean) => {
    if (file !== undefined && !isRunning) void start(file, { dryRun, movePlans });
  };
  return (
    <div className="flex flex-col gap-4">
      <Card
        title="File"
        description="CSV in UTF-8 or UTF-16, with commas, semicolons or tabs. The first line names the columns: one of key, hash and id, and customer, plan, name."
      >
        <div className="flex flex-col gap-4">
          <div className="flex flex-col gap-1">
            <label htmlFor={inputId} className="text-sm font-medium">
              List of keys
            </label>
            <input
              id={inputId}
              type="file"
              accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
              disabled={isRunning}
              className="max-w-full rounded-sm border border-border bg-surface text-sm file:mr-3 file:border-0 file:border-e file:border-border file:bg-hover file:px-3 file:py-1.5 file:text-text disabled:opacity-60"
              onChange={(event) => {
                setFile(event.target.files?.[0]);
                forget();
              }}
            />
            <p className="text-sm text-muted">
              Keys are hashed as they arrive and their text is kept nowhere. The same file can be
              imported again: what is known already stays as it is.
            </p>
          </div>
          <Checkbox
            label="Move customers whose plan is another one"
            hint="Otherwise a line with another plan than its customer’s is refused."
            checked={movePlans}
            disabled={isRunning}
            onCheckedChange={setMovePlans}
          />
          <div className="flex flex-wrap justify-end gap-2">
            {isRunning ? (
              <Button onClick={stop}>Stop</Button>
            ) : (
              <>
                <PermittedButton
                  needs="keys"
                  disabled={file === undefined}
                  onClick={() => begin(true)}
                >
                  Check only
                </PermittedButton>
                <PermittedButton
                  needs="keys"
                  variant="primary"
                  disabled={file === undefined}
                  onClick={() => begin(false)}
                >
                  Import
                </PermittedButton>
              </>
            )}
          </div>
        </div>
      </Card>
      {run === undefined ? (
        <CodeBlock code={EXAMPLE} label="example of a list" />
      ) : (
        <KeyImportReport run={run} />
      )}
    </div>
  );
}
