"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import {
  createApiToken,
  createKey,
  importKeys,
  revokeApiToken,
  revokeKey,
  rotateKey,
  updateKey,
} from "@/lib/control";
import { KeyImportRequestSchema } from "@/lib/core/api/key-import";
import { KeyCreateRequestSchema } from "@/lib/core/api/keys";
import { TokenCreateRequestSchema } from "@/lib/core/api/tokens";

const id = z.string().min(1).max(100);

export const createKeyAction = consoleAction(KeyCreateRequestSchema, (ctx, input) =>
  createKey(ctx, input),
);

/** What may be in name and plan is the verb's own to say. */
export const updateKeyAction = consoleAction(
  z.strictObject({ id, name: z.string().optional(), plan: z.string().optional() }),
  (ctx, { id, name, plan }) =>
    updateKey(ctx, {
      id,
      ...(name === undefined ? {} : { name }),
      ...(plan === undefined ? {} : { plan }),
    }),
);

export const rotateKeyAction = consoleAction(
  z.strictObject({ id, graceHours: z.number() }),
  (ctx, input) => rotateKey(ctx, input),
);

export const importKeysAction = consoleAction(KeyImportRequestSchema, (ctx, input) =>
  importKeys(ctx, input),
);

export const revokeKeyAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  revokeKey(ctx, input),
);

export const createTokenAction = consoleAction(TokenCreateRequestSchema, (ctx, input) =>
  createApiToken(ctx, input),
);

export const revokeTokenAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  revokeApiToken(ctx, input),
);
