"use client";

import { RotateCw } from "lucide-react";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return (
    <div role="alert" className="rounded-lg border bg-surface">
      <EmptyState
        title="This page could not be loaded"
        actions={
          <Button onClick={reset}>
            <RotateCw aria-hidden /> Try again
          </Button>
        }
      >
        Gateways go on with the rules they have. If it stays, the console's log has the cause
        {error.digest ? (
          <>
            {" "}
            under <code className="font-mono">{error.digest}</code>
          </>
        ) : null}
        .
      </EmptyState>
    </div>
  );
}
