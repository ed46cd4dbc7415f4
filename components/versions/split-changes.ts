import { z } from "zod";
import type { ObjectChange } from "@/lib/core/api/change";
import { type Mode, ModeSchema } from "@/lib/core/rule";

/** Loud changes first, else in the order given. */
export function splitChanges(objects: readonly ObjectChange[]): ObjectChange[] {
  return [...objects.filter(({ loud }) => loud), ...objects.filter(({ loud }) => !loud)];
}

export type ModeMove = { id: string; name: string; from: Mode | null; to: Mode | null };

const WithMode = z.object({ mode: ModeSchema });

/** Rules whose mode differs: what begins to refuse requests, what stops, what is watched. Null: not there. */
export function modeMoves(objects: readonly ObjectChange[]): ModeMove[] {
  return objects
    .filter(({ kind }) => kind === "rule")
    .map(({ id, name, before, after }) => ({ id, name, from: modeOf(before), to: modeOf(after) }))
    .filter(({ from, to }) => from !== to);
}

function modeOf(body: unknown): Mode | null {
  const read = WithMode.safeParse(body);
  return read.success ? read.data.mode : null;
}

export type Effect = { turnsOn: ModeMove[]; turnsOff: ModeMove[]; others: ModeMove[] };

export function effectOf(objects: readonly ObjectChange[]): Effect {
  const moves = modeMoves(objects);
  return {
    turnsOn: moves.filter(({ to }) => to === "enforce"),
    turnsOff: moves.filter(({ from }) => from === "enforce"),
    others: moves.filter(({ from, to }) => from !== "enforce" && to !== "enforce"),
  };
}
