import { type Actor, ActorSchema } from "@/lib/core/api/common";
import type { Prisma } from "./generated/client";

/** A value of our own schemas for a JSON column. They are JSON by construction; `undefined` fields vanish. */
export function jsonColumn(value: unknown): Prisma.InputJsonValue {
  return JSON.parse(JSON.stringify(value));
}

/** An actor column, as it was written. */
export function actorColumn(value: Prisma.JsonValue): Actor {
  return ActorSchema.parse(value);
}
