import { randomUUID } from "node:crypto";

const SANE = /^[A-Za-z0-9._:@+/=-]{1,128}$/;

/** The caller's own, where it is short and plain enough for logs and headers, else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === "string" && SANE.test(given) ? given : randomUUID();
}
