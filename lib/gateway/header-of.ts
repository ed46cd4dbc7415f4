import type { IncomingHttpHeaders } from "node:http";

/** A field by its lower-case name. hasOwn: a rule or a setting may name a header "constructor". */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? value.join(", ") : value;
}
