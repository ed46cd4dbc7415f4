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

// A double click may come before a button shows that it is pressed.
const running = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Calls an action; a console that does not answer is a failure like any other, and says what is not known. The
 * same call, made again before the first one was answered, is that one.
 */
export function callAction<Input, Data>(
  action: Action<Input, Data>,
  input: Input,
): Promise<ActionResult<Data>> {
  const calls = running.get(action) ?? new Map<string, Promise<unknown>>();
  running.set(action, calls);
  const key = JSON.stringify(input) ?? "";
  // What is stored under this action and input is its own promise.
  const same = calls.get(key) as Promise<ActionResult<Data>> | undefined;
  if (same !== undefined) return same;
  const call = callOnce(action, input).finally(() => calls.delete(key));
  calls.set(key, call);
  return call;
}

async function callOnce<Input, Data>(
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
