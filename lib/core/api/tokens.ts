import { z } from "zod";
import { TOKEN_SCOPES } from "../access";
import { oneOf, textLine, wholeNumber } from "../parse";
import { InstantSchema, listOf } from "./common";

export const TokenCreateRequestSchema = z.strictObject({
  name: textLine("name", 120),
  scopes: z
    .array(oneOf("scopes", TOKEN_SCOPES), { error: "scopes must be a list of scopes" })
    .min(1, { error: `scopes must name at least one of ${TOKEN_SCOPES.join(", ")}` })
    .transform((given) => TOKEN_SCOPES.filter((scope) => given.includes(scope))),
  /** Null: until it is revoked. */
  expiresInDays: wholeNumber("expiresInDays", 1, 3650).nullable().default(null),
});

export const TokenRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(TOKEN_SCOPES)),
  /** The first characters, for people. */
  prefix: z.string(),
  createdBy: z.string(),
  createdAt: InstantSchema,
  lastUsedAt: InstantSchema.nullable(),
  expiresAt: InstantSchema.nullable(),
  revokedAt: InstantSchema.nullable(),
});

/** The token itself is in this answer only. */
export const TokenCreatedSchema = TokenRowSchema.extend({ token: z.string() });
export const TokenListSchema = listOf(TokenRowSchema);

export type TokenCreateRequest = z.output<typeof TokenCreateRequestSchema>;
export type TokenRow = z.output<typeof TokenRowSchema>;
export type TokenCreated = z.output<typeof TokenCreatedSchema>;
export type TokenList = z.output<typeof TokenListSchema>;
