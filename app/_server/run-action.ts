import { randomUUID } from "node:crypto";
import { unstable_rethrow } from "next/navigation";
import type { z } from "zod";
import type { Control } from "@/lib/control";
import { AppError, type ErrorCode, type FieldError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { originProblem } from "./origin";
import { knownError } from "./respond";

/** What a form gets back: it never has to catch. `details` is what goes on from here, e.g. the conflicts. */
export type ActionResult<T> =
  | { ok: true; data: T }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      errors: FieldError[];
      details: Record<string, unknown>;
    };

type Run<S extends z.ZodType, A, T> = {
  control: Pick<Control, "config" | "log">;
  headers: Headers;
  schema: S;
  /** As the browser sent it. */
  input: unknown;
  /** Who acts; throws `unauthenticated`. */
  admit(): Promise<A>;
  act(admitted: A, input: z.output<S>): Promise<T>;
};

/** One server action: origin, session, input, verb; an error that nobody foresaw is logged and told as a reference. */
export async function runAction<S extends z.ZodType, A, T>({
  control,
  headers,
  schema,
  input,
  admit,
  act,
}: Run<S, A, T>): Promise<ActionResult<T>> {
  try {
    const problem = originProblem(headers, control.config.publicUrl ?? "http://localhost");
    if (problem !== null) {
      control.log.warn(
        { origin: headers.get("origin"), publicUrl: control.config.publicUrl },
        problem,
      );
      throw new AppError("forbidden", problem);
    }
    const admitted = await admit();
    return { ok: true, data: await act(admitted, parseInput(schema, input, "the form")) };
  } catch (error) {
    // Next's own: redirect, notFound.
    unstable_rethrow(error);
    const requestId = randomUUID();
    const { code, message, errors, details } = knownError(error, {
      requestId,
      log: control.log,
      route: `action ${headers.get("next-action")?.slice(0, 12) ?? ""}`,
    });
    return { ok: false, code, message, errors, details };
  }
}
