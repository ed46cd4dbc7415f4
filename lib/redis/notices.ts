import type { Redis } from "ioredis";
import { z } from "zod";
import { DirectoryPositionSchema } from "@/lib/core/directory";
import { FleetSizeSchema } from "@/lib/core/heartbeat";
import { VersionIdSchema } from "@/lib/core/version";
import type { ControlKeys } from "./control-keys";

/** A hint that something newer is there; whoever misses it finds out by its timer. */
export const NoticeSchema = z.discriminatedUnion("kind", [
  VersionIdSchema.extend({ kind: z.literal("version"), hash: z.string() }),
  DirectoryPositionSchema.extend({ kind: z.literal("directory") }),
  FleetSizeSchema.extend({ kind: z.literal("fleet") }),
  /** These principals' buckets were reset: what gateways know or hold of them is not true any more. */
  z.strictObject({ kind: z.literal("reset"), principals: z.array(z.string().min(1)).min(1) }),
]);

export type Notice = z.output<typeof NoticeSchema>;

export async function publishNotice(
  redis: Redis,
  keys: ControlKeys,
  notice: Notice,
): Promise<void> {
  await redis.publish(keys.notices, JSON.stringify(notice));
}

/** Null for what is no notice of this build. */
export function parseNotice(message: string): Notice | null {
  try {
    const result = NoticeSchema.safeParse(JSON.parse(message));
    return result.success ? result.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
