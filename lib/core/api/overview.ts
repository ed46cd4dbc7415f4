import { z } from "zod";
import { CountSchema } from "./common";

/** One line above every page: something is degraded now. */
export const BannerSchema = z.object({
  severity: z.enum(["info", "warning", "critical"]),
  text: z.string(),
  /** Where to look further; a path of the console. */
  href: z.string(),
});

/** What the frame of every page shows. */
export const OverviewSchema = z.object({
  environment: z.string(),
  demo: z.boolean(),
  /** Number of the live version. */
  version: z.int(),
  epoch: z.int(),
  fleet: z.object({
    live: CountSchema,
    /** Live gateways that applied the live version. */
    applied: CountSchema,
    silent: CountSchema,
  }),
  /** Objects that the caller's own draft changes. */
  draftChanges: CountSchema,
  openAlerts: CountSchema,
  /** Change requests that wait for a second person. */
  openRequests: CountSchema,
  banners: z.array(BannerSchema),
});

export type Banner = z.output<typeof BannerSchema>;
export type Overview = z.output<typeof OverviewSchema>;
