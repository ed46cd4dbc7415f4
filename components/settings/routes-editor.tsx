"use client";

import { useMemo, useState } from "react";
import { callAction } from "@/components/ui/action-result";
import { LinesInput } from "@/components/ui/lines-input";
import { fieldErrors } from "@/lib/core/parse";
import { BodySchema } from "@/lib/core/ruleset";
import { DraftCard } from "./draft-card";
import type { Drafted, RevertSettings, SaveRoutes } from "./settings-actions";

type RoutesEditorProps = { drafted: Drafted; save: SaveRoutes; revert: RevertSettings };

const RoutesSchema = BodySchema.shape.routes;

/** The templates that name routes. */
export function RoutesEditor({ drafted, save, revert }: RoutesEditorProps) {
  const { value, edit, baseVersion, changes } = drafted;
  const saved = Array.isArray(value) ? value.map(String) : [];
  const [routes, setRoutes] = useState(saved);
  const error = useMemo(() => {
    const parsed = RoutesSchema.safeParse(routes);
    const [first] = parsed.success ? [] : fieldErrors(parsed.error);
    if (first === undefined) return undefined;
    const line = Number(first.path);
    return Number.isInteger(line) && first.path !== ""
      ? `line ${line + 1}: ${first.message}`
      : first.message;
  }, [routes]);
  return (
    <DraftCard
      kind="routes"
      title="Routes"
      description="How paths are named in reports and where a rule counts by route. What fits none of them is named other."
      changes={changes}
      isDirty={JSON.stringify(routes) !== JSON.stringify(saved)}
      save={() =>
        error === undefined ? callAction(save, { body: routes, edit, baseVersion }) : null
      }
      revert={revert}
      onReset={() => setRoutes(saved)}
    >
      <LinesInput
        label="Templates, one a line"
        hint="A part that differs from call to call is written :name, as in /v1/links/:id."
        placeholder={"/v1/messages\n/v1/messages/:id"}
        rows={Math.min(16, Math.max(4, routes.length + 1))}
        error={error}
        lines={routes}
        onChange={setRoutes}
      />
    </DraftCard>
  );
}
