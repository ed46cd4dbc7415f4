import { z } from "zod";
import { oneOf, textLine } from "../parse";
import { InstantSchema, listOf } from "./common";

export const TOKEN_SCOPES = ["admin", "gateway"] as const;

export const TokenCreateRequestSchema = z.strictObject({
  name: textLine("name", 120),
  scope: oneOf("scope", TOKEN_SCOPES),
});

export const TokenRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(TOKEN_SCOPES),
  /** The first characters, for people. */
  prefix: z.string(),
  createdBy: z.string(),
  createdAt: InstantSchema,
  lastUsedAt: InstantSchema.nullable(),
  revokedAt: InstantSchema.nullable(),
});

/** The token itself is in this answer only. */
export const TokenCreatedSchema = TokenRowSchema.extend({ token: z.string() });
export const TokenListSchema = listOf(TokenRowSchema);

export type TokenCreateRequest = z.output<typeof TokenCreateRequestSchema>;
export type TokenRow = z.output<typeof TokenRowSchema>;
export type TokenCreated = z.output<typeof TokenCreatedSchema>;
export type TokenList = z.output<typeof TokenListSchema>;
