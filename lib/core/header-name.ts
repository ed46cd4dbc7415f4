import { z } from "zod";
import { shown } from "./parse";

/** RFC 9110 §7.6.1, and what older peers add. Transfer-Encoding stays: Node frames the body by it. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/** Gone before a request is identified, or written by the gateway, or about the message and not its sender. */
const NAMES_NOBODY: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "content-length",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "transfer-encoding",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-request-id",
]);

/** A header's name in lower case, as RFC 9110 §5.1 has tokens. */
export const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** A header that may say who sends a request, in lower case. `field` begins the sentence of what is refused. */
export function identityHeader(field: string) {
  return z
    .string({ error: (issue) => `${field} must be a header name, got ${shown(issue.input)}` })
    .transform((name) => name.toLowerCase())
    .pipe(
      z
        .string()
        .regex(HEADER_NAME, {
          error: (issue) =>
            `${field} must be a header name of 1..64 letters, digits and hyphens, got ${shown(issue.input)}`,
        })
        .refine((name) => !NAMES_NOBODY.has(name), {
          error: (issue) =>
            `${field} must be a header that is the sender's own and reaches the upstream, got ${shown(issue.input)}`,
        }),
    );
}
