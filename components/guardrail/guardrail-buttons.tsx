"use client";

import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import { EndWatchDialog } from "./end-watch-dialog";
import type { GuardrailDialogProps } from "./guardrail-actions";
import { SetGuardrailDialog } from "./set-guardrail-dialog";

/** Other bounds, or none from now on. What is no longer enforced has nothing to watch. */
export function GuardrailButtons(props: GuardrailDialogProps) {
  const { state, changedSince } = props.enforcement;
  const [dialog, setDialog] = useState<"set" | "end" | null>(null);
  const isOpen = state === "watching" || state === "held";
  if (state === "undone" || (!isOpen && changedSince)) return null;
  return (
    <>
      <PermittedButton needs="publish" size="sm" onClick={() => setDialog("set")}>
        {isOpen ? "Set other bounds…" : "Watch it…"}
      </PermittedButton>
      {isOpen && (
        <PermittedButton needs="publish" size="sm" onClick={() => setDialog("end")}>
          End the watch…
        </PermittedButton>
      )}
      {dialog === "set" && <SetGuardrailDialog {...props} onClose={() => setDialog(null)} />}
      {dialog === "end" && <EndWatchDialog {...props} onClose={() => setDialog(null)} />}
    </>
  );
}
