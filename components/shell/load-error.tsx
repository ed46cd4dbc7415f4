"use client";

import { RotateCw } from "lucide-react";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";

export type LoadErrorProps = { error: unknown; retry: () => void };

/** What Next shows where a page or its frame failed to load. */
export function LoadError({ error, retry }: LoadErrorProps) {
  const digest = digestOf(error);
  return (
    <div role="alert" className="rounded-lg border bg-surface">
      <EmptyState
        title="This page could not be loaded"
        actions={
          <Button onClick={() => retry()}>
            <RotateCw aria-hidden /> Try again
          </Button>
        }
      >
        Gateways go on with the rules they have. If it stays, the console's log has the cause
        {digest && (
          <>
            {" "}
            under <code className="font-mono">{digest}</code>
          </>
        )}
        .
      </EmptyState>
    </div>
  );
}

function digestOf(error: unknown): string | undefined {
  return error instanceof Error && "digest" in error && typeof error.digest === "string"
    ? error.digest
    : undefined;
}
