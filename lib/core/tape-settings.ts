import { z } from "zod";
import { shown, wholeNumber } from "./parse";

/** What gateways keep on tape of the requests they decide. Off until somebody turns it on: it holds addresses. */
export const TapeSettingsSchema = z.strictObject({
  enabled: z.boolean().default(false),
  /** Of the clients, whole ones; the same at every gateway. */
  percent: z
    .number({ error: (issue) => `percent must be a number 0.01..100, got ${shown(issue.input)}` })
    .min(0.01, { error: ({ input }) => `percent must be at least 0.01, got ${shown(input)}` })
    .max(100, { error: ({ input }) => `percent must be at most 100, got ${shown(input)}` })
    .default(10),
  /** Requests kept of one client in a minute, at each gateway; the rest are counted as dropped. */
  maxPerClientPerMinute: wholeNumber("maxPerClientPerMinute", 1, 1_000_000).default(6_000),
});

export type TapeSettings = z.output<typeof TapeSettingsSchema>;
