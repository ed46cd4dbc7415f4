/** As ioredis says it, in words of its options. */
const AWAY = /^(Stream isn't writeable|Connection is closed|Reached the max retries)/;
const LATE = /^(Command timed out|Socket timeout)/;

/** Why something with Redis, or after it, did not work: a sentence without the client's own words and without `Error:`. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (AWAY.test(text)) return "Redis is not connected";
  if (LATE.test(text)) return "Redis does not answer in time";
  return text;
}
