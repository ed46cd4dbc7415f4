import { AppError, type ErrorCode } from "../core/errors";

/** The AppError that the promise must end with, of this code. */
export async function failureOf(promise: Promise<unknown>, code: ErrorCode): Promise<AppError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome)
    throw new Error(`expected ${code}, but it gave ${JSON.stringify(outcome.value)}`);
  const { error } = outcome;
  if (error instanceof AppError && error.code === code) return error;
  throw new Error(`expected ${code}, but it threw ${String(error)}`, { cause: error });
}
