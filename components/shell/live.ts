import { z } from "zod";
import { ActorSchema, InstantSchema } from "@/lib/core/api/common";
import { OverviewSchema } from "@/lib/core/api/overview";

/** What an open page asks for every second or so. */
export const LiveSchema = z.object({
  overview: OverviewSchema,
  /** Who made the live version, so that a page can say whose it is. */
  latest: z.object({
    version: z.int(),
    message: z.string(),
    actor: ActorSchema,
    createdAt: InstantSchema,
  }),
});

export type Live = z.output<typeof LiveSchema>;
export const LIVE_PATH = "/live";
