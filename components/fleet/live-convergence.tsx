"use client";

import { type ReactNode, useState } from "react";
import { useLiveRead } from "@/components/shell/live-overview";
import { getJson } from "@/components/ui/get-json";
import { SkeletonText } from "@/components/ui/skeleton";
import { type Convergence, ConvergenceSchema } from "@/lib/core/api/versions";
import { ConvergenceStrip } from "./convergence-strip";

type LiveConvergenceProps = {
  version: number;
  /** As the server knew it when the page was rendered. */
  initial?: Convergence;
  actions?: ReactNode;
};

/** A version on its way through the fleet, followed until every live gateway has it and none is silent. */
export function LiveConvergence({ version, initial, actions }: LiveConvergenceProps) {
  const [convergence, setConvergence] = useState(initial);
  const [error, setError] = useState<string>();
  const shown = convergence?.version === version ? convergence : initial;
  useLiveRead(
    async (signal) => {
      try {
        const next = await getJson(
          `/api/v1/versions/${version}/convergence`,
          ConvergenceSchema,
          signal,
        );
        setConvergence(next);
        setError(undefined);
        return !next.converged;
      } catch (cause) {
        if (!signal.aborted) setError(cause instanceof Error ? cause.message : String(cause));
        return true;
      }
    },
    { enabled: shown?.converged !== true },
  );
  if (shown === undefined)
    return (
      <section aria-label={`Convergence of version ${version}`} className="rounded-lg border p-4">
        <SkeletonText lines={2} />
      </section>
    );
  return (
    <div className="flex flex-col gap-1">
      <ConvergenceStrip convergence={shown} actions={actions} />
      <p aria-live="polite" className="text-sm text-warning empty:hidden">
        {error && `The console does not answer (${error}); this is how it was. Asking again.`}
      </p>
    </div>
  );
}
