export const ERROR_CODES = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "not_found",
  "conflict",
  "unavailable",
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One wrong field: `path` as a person would write it (`limit.perPlan.free.rate`), `message` a sentence. */
export type FieldError = { path: string; message: string };

type AppErrorOptions = {
  cause?: unknown;
  /** Field errors of bad input, one sentence each. */
  errors?: FieldError[];
  /** What the caller needs to go on, e.g. `{current, conflicts}` of a lost publish. */
  details?: Record<string, unknown>;
};

/** The one error that crosses layers; mapped to a status or an exit code once, at the edge. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[];
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.errors = options.errors ?? [];
    this.details = options.details ?? {};
  }
}
