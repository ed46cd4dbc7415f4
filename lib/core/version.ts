import { z } from "zod";

/** Versions are ordered by epoch, then number; both only rise. */
export const VersionIdSchema = z.strictObject({
  epoch: z.int().min(0),
  version: z.int().min(0),
});

export type VersionId = z.output<typeof VersionIdSchema>;

/** Negative if `a` is older than `b`, 0 if the same, positive if newer. */
export function compareVersions(a: VersionId, b: VersionId): number {
  return a.epoch - b.epoch || a.version - b.version;
}
