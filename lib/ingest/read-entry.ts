import type { z } from "zod";
import { fieldErrors } from "@/lib/core/parse";
import type { StreamEntry } from "@/lib/redis/streams";

type EntryRead<T> = { ok: true; value: T } | { ok: false; reason: string };

/** What a gateway put on a stream; `reason` is a sentence for whoever looks at the entries set aside. */
export function readEntry<T extends { environment: string }>(
  schema: z.ZodType<T>,
  { json }: StreamEntry,
  environment: string,
): EntryRead<T> {
  let value: unknown;
  try {
    value = JSON.parse(json ?? "");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, reason: `it is not JSON: ${error.message}` };
  }
  const result = schema.safeParse(value);
  if (!result.success) {
    const first = fieldErrors(result.error)[0];
    return { ok: false, reason: `${first?.path ?? ""}: ${first?.message ?? "it is not valid"}` };
  }
  if (result.data.environment === environment) return { ok: true, value: result.data };
  return {
    ok: false,
    reason: `it is of environment "${result.data.environment}", this worker serves "${environment}"`,
  };
}
