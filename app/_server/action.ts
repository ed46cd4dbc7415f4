import { revalidatePath } from "next/cache";
import { headers } from "next/headers";
import type { z } from "zod";
import type { Control, Ctx } from "@/lib/control";
import { getControl } from "./context";
import { type ActionResult, runAction } from "./run-action";
import { requireSessionCtx } from "./session";

export type { ActionResult } from "./run-action";

/** Makes a server action for who is signed in. Afterwards every page shows what is true now. */
export function consoleAction<S extends z.ZodType, T>(
  schema: S,
  act: (ctx: Ctx, input: z.output<S>) => Promise<T>,
): (input: z.input<S>) => Promise<ActionResult<T>> {
  const run = readAction(schema, act);
  return async (input) => {
    const result = await run(input);
    if (result.ok) revalidatePath("/", "layout");
    return result;
  };
}

/** As `consoleAction`, for what only looks something up: no page is rendered anew. */
export function readAction<S extends z.ZodType, T>(
  schema: S,
  act: (ctx: Ctx, input: z.output<S>) => Promise<T>,
): (input: z.input<S>) => Promise<ActionResult<T>> {
  return async (input) =>
    runAction({
      control: getControl(),
      headers: await headers(),
      schema,
      input,
      admit: requireSessionCtx,
      act,
    });
}

/** As `consoleAction`, for who is not signed in yet: the sign-in itself. */
export function openAction<S extends z.ZodType, T>(
  schema: S,
  act: (control: Control, input: z.output<S>) => Promise<T>,
): (input: z.input<S>) => Promise<ActionResult<T>> {
  return async (input) => {
    const control = getControl();
    const admit = async () => control;
    return runAction({ control, headers: await headers(), schema, input, admit, act });
  };
}
