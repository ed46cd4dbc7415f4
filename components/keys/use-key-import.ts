"use client";

import { useRef, useState } from "react";
import { callAction } from "@/components/ui/action-result";
import type { KeyImportLine, KeyImportResult } from "@/lib/core/api/key-import";
import type { KeyActions } from "./key-actions";
import { readKeyFile } from "./read-key-file";

/** A request of a browser stays well under what a server takes. */
const ROWS_A_CALL = 500;

export type KeyImportRun = {
  dryRun: boolean;
  state: "reading" | "sending" | "done";
  /** Lines of the file, without its head. */
  total: number;
  results: KeyImportResult[];
  /** Why it ended before the file's end. */
  stopped: string | null;
};

type Options = { dryRun: boolean; movePlans: boolean };

/** Sends a file piece by piece; what was taken stays when it is stopped, and the same file can be sent again. */
export function useKeyImport(send: KeyActions["import"]) {
  const [run, setRun] = useState<KeyImportRun>();
  const isStopped = useRef(false);

  async function start(file: File, { dryRun, movePlans }: Options): Promise<void> {
    isStopped.current = false;
    const results: KeyImportResult[] = [];
    let total = 0;
    const show = (state: KeyImportRun["state"], stopped: string | null = null) =>
      setRun({ dryRun, state, total, results: [...results], stopped });
    show("reading");
    try {
      const { lines, stopped } = await readKeyFile(file);
      total = lines.length;
      const rows: KeyImportLine[] = [];
      for (const line of lines) {
        if (line.kind === "row") rows.push(line.row);
        else results.push({ line: line.line, outcome: "refused", message: line.message });
      }
      for (let at = 0; at < rows.length; at += ROWS_A_CALL) {
        show("sending");
        const piece = rows.slice(at, at + ROWS_A_CALL);
        const answer = isStopped.current
          ? { ok: false as const, message: `stopped before line ${piece[0]?.line}` }
          : await callAction(send, { rows: piece, dryRun, movePlans });
        if (!answer.ok) return show("done", answer.message);
        results.push(...answer.data.results);
      }
      results.sort((a, b) => a.line - b.line);
      show("done", stopped);
    } catch (error) {
      show("done", error instanceof Error ? error.message : String(error));
    }
  }

  return {
    run,
    start,
    stop: () => {
      isStopped.current = true;
    },
    forget: () => setRun(undefined),
  };
}
