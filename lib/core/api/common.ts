import { z } from "zod";
import { shown, wholeNumber } from "../parse";

// Answers are z.object: a newer console may say more than an older program knows. Requests are z.strictObject.

/** An instant as the API writes it: ISO 8601 in UTC, `2026-01-31T02:51:07.000Z`. */
export const InstantSchema = z.iso.datetime({ offset: true });

/** An instant as callers write it: ISO 8601 with an offset, or epoch milliseconds; comes out as ISO in UTC. */
export function instantInput(name: string) {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const text = String(value);
    const digits = /^\d{10,14}$/.test(text);
    const ms = digits
      ? Number(text)
      : InstantSchema.safeParse(text).success
        ? Date.parse(text)
        : Number.NaN;
    if (Number.isFinite(ms) && Math.abs(ms) <= 8.64e15) return new Date(ms).toISOString();
    context.addIssue({
      code: "custom",
      message: `${name} must be an instant such as 2026-01-31T02:51:07Z or epoch milliseconds, got ${shown(value)}`,
    });
    return z.NEVER;
  });
}

/** A count in a response: whole, never negative. */
export const CountSchema = z.int().min(0);

/** Who did something. `system` is the product itself: schedules, guardrails, the first start. */
export const ActorSchema = z.object({
  type: z.enum(["user", "token", "system"]),
  id: z.string(),
  name: z.string(),
});

export type Actor = z.output<typeof ActorSchema>;

export const PAGE_LIMIT_MAX = 500;

/** Paging: `next` of one answer is `cursor` of the following request; nothing repeats while rows are added. */
export const pageQuery = {
  limit: z.coerce
    .number()
    .pipe(wholeNumber("limit", 1, PAGE_LIMIT_MAX))
    .default(100),
  cursor: z.string().min(1).max(500).optional(),
};

export const PageQuerySchema = z.strictObject(pageQuery);

/** A list: `{items, next?}`; no `next` on the last page. */
export function listOf<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}

/** A flag in a query string: `?a=true`, `?a=1`, `?a=`; read once or twice, it stays the same. */
export const flagQuery = z
  .union([z.boolean(), z.enum(["true", "1", "", "false", "0"])])
  .transform((value) => value !== false && value !== "false" && value !== "0");

export type ListOf<T> = { items: T[]; next?: string | undefined };

/** One or more in a query string: `?plan=free` and `?plan=free&plan=paid`. */
export function oneOrMore<S extends z.ZodType>(item: S) {
  return z.union([item.transform((value) => [value]), z.array(item).min(1).max(50)]);
}
