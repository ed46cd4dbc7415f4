"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";

const SHOWN_MS = 2_000;

/** What may go into a ticket as it is. */
export function CopyAnswer({ text }: { text: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");

  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("failed");
    }
  }

  return (
    <>
      <Button onClick={() => void copy()}>
        {state === "copied" ? <Check aria-hidden /> : <Copy aria-hidden />}
        {state === "copied" ? "Copied" : "Copy for the customer"}
      </Button>
      <span role="status" className={state === "failed" ? "text-sm text-danger" : "sr-only"}>
        {state === "failed" ? "Copying is blocked: select the sentence instead" : ""}
        {state === "copied" ? "Copied" : ""}
      </span>
    </>
  );
}
