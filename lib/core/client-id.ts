import { z } from "zod";
import { canonicalIp } from "./ip";
import { shown } from "./parse";

/**
 * Who is limited, as written everywhere: `key:<id>`, `customer:<id>`, `ip:198.18.0.1`, `ip:2001:db8::/64`.
 * Ids never contain a key or its hash.
 */
export type ClientId = `key:${string}` | `customer:${string}` | `ip:${string}`;

const ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Null if the text is no client id. Addresses come back in canonical form. */
export function parseClientId(text: string): ClientId | null {
  const colon = text.indexOf(":");
  const kind = text.slice(0, colon);
  const rest = text.slice(colon + 1);
  if (kind === "key" && ID.test(rest)) return `key:${rest}`;
  if (kind === "customer" && ID.test(rest)) return `customer:${rest}`;
  if (kind === "ip") {
    const ip = canonicalIp(rest);
    return ip === null ? null : `ip:${ip}`;
  }
  return null;
}

export const ClientIdSchema = z
  .string({ error: (issue) => `client must be text, got ${shown(issue.input)}` })
  .transform((text, context) => {
    const id = parseClientId(text);
    if (id !== null) return id;
    context.addIssue({
      code: "custom",
      message: `client must be key:<id>, customer:<id> or ip:<address>, got ${shown(text)}`,
    });
    return z.NEVER;
  });
