"use client";

import { type ReactNode, useState } from "react";
import { getJson } from "@/components/ui/get-json";
import { SkeletonText } from "@/components/ui/skeleton";
import { usePoll } from "@/components/ui/use-poll";
import { type Convergence, ConvergenceSchema } from "@/lib/core/api/versions";
import { ConvergenceStrip } from "./convergence-strip";

type LiveConvergenceProps = {
  version: number;
  /** As the server knew it when the page was rendered. */
  initial?: Convergence;
  actions?: ReactNode;
};

const EAGER_MS = 500;
const CALM_MS = 5000;
/** A fleet that has not converged by then has a trouble that half seconds do not mend. */
const EAGER_FOR_MS = 30_000;

/** A version on its way through the fleet, followed until every live gateway has it and none is silent. */
export function LiveConvergence({ version, initial, actions }: LiveConvergenceProps) {
  const [convergence, setConvergence] = useState(initial);
  const [error, setError] = useState<string>();
  const shown = convergence?.version === version ? convergence : initial;
  const age = shown === undefined ? 0 : Date.now() - Date.parse(shown.createdAt);
  usePoll(
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
    { everyMs: age < EAGER_FOR_MS ? EAGER_MS : CALM_MS, enabled: shown?.converged !== true },
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
