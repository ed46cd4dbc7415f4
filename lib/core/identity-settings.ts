import { z } from "zod";
import { identityHeader } from "./header-name";
import { oneOf, shown } from "./parse";

/** Each one costs a hash on a request that presents an unknown key there. */
const KEY_HEADERS_MAX = 4;

export const ADDRESS_HEADERS = ["x-forwarded-for", "forwarded"] as const;
export type AddressHeader = (typeof ADDRESS_HEADERS)[number];

/** Where a gateway reads who sends a request. */
export const IdentitySettingsSchema = z
  .strictObject({
    /**
     * Where a key is looked for, in this order; a known one beats one that is not. In `authorization` it is the
     * bearer token. Empty: no header holds a key.
     */
    keyHeaders: z
      .array(identityHeader("keyHeaders"), { error: keyHeadersSentence })
      .max(KEY_HEADERS_MAX, { error: keyHeadersSentence })
      .default(["x-api-key", "authorization"]),
    /**
     * Header in which an authenticating proxy says who the client is: `key:<id>`, `customer:<id>` or a bare customer
     * id. Believed from trusted hops only, and taken out otherwise.
     */
    trustedHeader: identityHeader("trustedHeader").nullable().default(null),
    /** The one header that trusted hops add addresses to. The other may be a client's own words and is not read. */
    addressHeader: oneOf("addressHeader", ADDRESS_HEADERS).default("x-forwarded-for"),
  })
  .superRefine(({ keyHeaders, trustedHeader }, context) => {
    for (const [i, name] of keyHeaders.entries()) {
      if (keyHeaders.indexOf(name) === i) continue;
      const message = `keyHeaders must name each header once, got "${name}" twice`;
      context.addIssue({ code: "custom", path: ["keyHeaders", i], message });
    }
    if (trustedHeader === null) return;
    const isTaken = trustedHeader === "authorization" || keyHeaders.includes(trustedHeader);
    if (!isTaken) return;
    const message = `trustedHeader must not be a header that holds a key, got "${trustedHeader}"`;
    context.addIssue({ code: "custom", path: ["trustedHeader"], message });
  });

function keyHeadersSentence({ input }: { input?: unknown }): string {
  return `keyHeaders must be a list of at most ${KEY_HEADERS_MAX} header names, got ${shown(input)}`;
}
