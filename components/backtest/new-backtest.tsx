"use client";

import { useRouter } from "next/navigation";
import { useId, useRef, useState, useTransition } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Combobox } from "@/components/ui/combobox";
import { Field, FieldGroup, FormError } from "@/components/ui/field";
import { formatShare } from "@/components/ui/format";
import { NumberInput } from "@/components/ui/number-input";
import { RadioGroup } from "@/components/ui/radio-group";
import { type Option, Select } from "@/components/ui/select";
import type { CreateBacktest, LogActions } from "./backtest-actions-data";
import { sendLog } from "./send-log";

export type RuleOption = { ruleset: "live" | "draft"; id: string; label: string; hint: string };
/** A stretch of tape that can be chosen, and what it has. */
export type TapeOption = { value: string; label: string; hint: string; from: string };

type NewBacktestProps = {
  rules: readonly RuleOption[];
  asked: { ruleset: "live" | "draft"; id: string } | null;
  tape: readonly TapeOption[];
  logs: readonly { id: string; name: string; hint: string }[];
  create: CreateBacktest;
  upload: LogActions;
};

const NEW_LOG = "new";

/** Which rule, on which requests. */
export function NewBacktest(props: NewBacktestProps) {
  const { rules, asked, tape, logs, create, upload } = props;
  const router = useRouter();
  const keyOf = ({ ruleset, id }: { ruleset: string; id: string }) => `${ruleset} ${id}`;
  const [rule, setRule] = useState<string | null>(asked === null ? null : keyOf(asked));
  const [source, setSource] = useState<"tape" | "log">(tape.length > 0 ? "tape" : "log");
  const [stretch, setStretch] = useState(tape[0]?.value ?? "");
  const [log, setLog] = useState(logs[0]?.id ?? NEW_LOG);
  const [file, setFile] = useState<File | null>(null);
  const [speed, setSpeed] = useState<number | null>(1);
  const [sent, setSent] = useState<number | null>(null);
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const stopping = useRef<AbortController>(undefined);
  const chosen = rules.find((option) => keyOf(option) === rule);
  const headId = useId();

  async function sourceOf(): Promise<Parameters<CreateBacktest>[0]["source"] | string> {
    if (source === "tape") {
      const from = tape.find(({ value }) => value === stretch)?.from;
      return from === undefined ? "Choose what of the tape." : { kind: "tape", from };
    }
    if (log !== NEW_LOG) return { kind: "log", log };
    if (file === null) return "Choose a log to upload.";
    stopping.current = new AbortController();
    setSent(0);
    const { signal } = stopping.current;
    const uploaded = await sendLog(file, upload, { onProgress: setSent, signal });
    setSent(null);
    if (!uploaded.ok) return uploaded.message;
    setLog(uploaded.log.id);
    return { kind: "log", log: uploaded.log.id };
  }

  function run() {
    setError(undefined);
    if (chosen === undefined) return setError("Choose a rule.");
    if (speed === null || speed <= 0)
      return setError("Speed must be a number above 0, such as 1 or 2.5.");
    startTransition(async () => {
      const from = await sourceOf();
      if (typeof from === "string") return setError(from);
      const { ruleset, id } = chosen;
      const made = await callAction(create, { ruleset, rule: id, source: from, speed });
      if (made.ok) router.push(`/backtest/${made.data.id}`);
      else setError(made.message);
    });
  }

  return (
    <form action={run} noValidate className="flex flex-col gap-4">
      <div className="grid gap-4 lg:grid-cols-2">
        <Field
          label="Rule"
          hint={
            chosen?.hint ??
            "As it is live, or as your draft has it. Among all others of its ruleset."
          }
        >
          <Combobox
            options={rules.map((option) => ({ value: keyOf(option), label: option.label }))}
            value={rule}
            onValueChange={setRule}
            placeholder="Type to search"
            emptyText="There is no such rule."
          />
        </Field>
        <Field label="Speed" hint="2 judges the requests as if they came twice as fast.">
          <NumberInput value={speed} onValueChange={setSpeed} step={1} unit="times" />
        </Field>
      </div>
      <FieldGroup legend={<span id={headId}>Requests</span>}>
        <RadioGroup
          aria-labelledby={headId}
          look="cards"
          value={source}
          onValueChange={setSource}
          options={[
            {
              value: "tape",
              label: "The tape",
              hint:
                tape.length === 0
                  ? "Nothing is on tape yet."
                  : "What gateways recorded: clients with their keys and plans.",
              disabled: tape.length === 0,
            },
            {
              value: "log",
              label: "An access log",
              hint: "Of your upstream or load balancer: combined or common format, JSON lines, AWS ALB; also .gz.",
            },
          ]}
        />
        {source === "tape" ? (
          <Field label="Of the tape" hint={tape.find(({ value }) => value === stretch)?.hint}>
            <Select<string>
              options={tape.map(({ value, label }) => ({ value, label }))}
              value={stretch}
              onValueChange={setStretch}
              className="max-w-md"
            />
          </Field>
        ) : (
          <LogFields logs={logs} log={log} onLog={setLog} onFile={setFile} />
        )}
      </FieldGroup>
      <FormError>{error}</FormError>
      <div className="flex flex-wrap items-center gap-3">
        <PermittedButton
          needs="draft"
          type="submit"
          variant="primary"
          pending={pending}
          pendingLabel={sent === null ? "Starting" : `Uploading, ${formatShare(Math.min(1, sent))}`}
        >
          Run backtest
        </PermittedButton>
        {sent !== null && (
          <Button onClick={() => stopping.current?.abort()}>Stop the upload</Button>
        )}
      </div>
    </form>
  );
}

type LogFieldsProps = {
  logs: NewBacktestProps["logs"];
  log: string;
  onLog(id: string): void;
  onFile(file: File | null): void;
};

function LogFields({ logs, log, onLog, onFile }: LogFieldsProps) {
  const options: Option[] = [
    ...logs.map(({ id, name, hint }) => ({ value: id, label: name, hint })),
    { value: NEW_LOG, label: "Upload another one", hint: "At most 64 MiB, packed." },
  ];
  const fileId = useId();
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {logs.length > 0 && (
        <Field label="Log">
          <Select options={options} value={log} onValueChange={onLog} />
        </Field>
      )}
      {log === NEW_LOG && (
        <div className="flex min-w-0 flex-col gap-1">
          <label htmlFor={fileId} className="text-sm font-medium text-text">
            File
          </label>
          <input
            id={fileId}
            type="file"
            onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)}
            className="max-w-full text-sm file:me-3 file:h-8 file:cursor-pointer file:rounded-md file:border file:border-border-strong file:bg-surface file:px-3 file:font-medium file:text-text hover:file:bg-hover"
          />
          <p className="text-sm text-muted">
            It is kept sealed for 7 days. Queries and keys in it are not shown.
          </p>
        </div>
      )}
    </div>
  );
}
