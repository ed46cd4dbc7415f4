/** What a server action of the console answers. */
export type ActionResult<Data> =
  | { ok: true; data: Data }
  | {
      ok: false;
      code: string;
      message: string;
      /** Of bad input: a sentence per field. */
      errors?: readonly { path: string; message: string }[] | undefined;
      /** What the caller needs to go on, such as `{current, conflicts}` of a lost publish. */
      details?: Record<string, unknown> | undefined;
    };

export type Action<Input, Data> = (input: Input) => Promise<ActionResult<Data>>;

export type ActionFailure = Extract<ActionResult<unknown>, { ok: false }>;

/** Calls an action; a console that does not answer is a failure like any other, and says what is not known. */
export async function callAction<Input, Data>(
  action: Action<Input, Data>,
  input: Input,
): Promise<ActionResult<Data>> {
  try {
    return await action(input);
  } catch (error) {
    // A redirect, such as to the sign-in page, travels as an error.
    if (isNavigation(error)) throw error;
    return {
      ok: false,
      code: "unavailable",
      message:
        "The console did not answer, so it is not known whether this was done. Reload to see what is live.",
    };
  }
}

function isNavigation(error: unknown): boolean {
  const digest = error instanceof Error && "digest" in error ? error.digest : undefined;
  return typeof digest === "string" && digest.startsWith("NEXT_");
}
