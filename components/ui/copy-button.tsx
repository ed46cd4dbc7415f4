"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./icon-button";

type CopyButtonProps = { text: string; label?: string; className?: string };
type State = "idle" | "copied" | "failed";

export function CopyButton({ text, label = "Copy", className }: CopyButtonProps) {
  const [state, setState] = useState<State>("idle");

  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2000);
    return () => clearTimeout(timer);
  }, [state]);

  const names = {
    idle: label,
    copied: "Copied",
    failed: "Copying is blocked: select the text instead",
  };
  return (
    <>
      <IconButton
        label={names[state]}
        size="icon-sm"
        {...(className ? { className } : {})}
        icon={
          state === "copied" ? <Check aria-hidden className="text-success" /> : <Copy aria-hidden />
        }
        onClick={async () => {
          try {
            await navigator.clipboard.writeText(text);
            setState("copied");
          } catch {
            setState("failed");
          }
        }}
      />
      <span aria-live="polite" className="sr-only">
        {state === "idle" ? "" : names[state]}
      </span>
    </>
  );
}
