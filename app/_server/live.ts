import { cache } from "react";
import type { Live } from "@/components/shell/live";
import { type Ctx, getOverview, listVersions } from "@/lib/control";

/** What the frame of every page shows, and who made the live version. */
export async function getLive(ctx: Ctx): Promise<Live> {
  const [overview, versions] = await Promise.all([
    getOverview(ctx),
    listVersions(ctx, { limit: 1 }),
  ]);
  const [row] = versions.items;
  if (row === undefined) throw new Error("there is no version");
  const { version, message, actor, createdAt } = row;
  return { overview, latest: { version, message, actor, createdAt } };
}

export const getLiveOnce = cache(getLive);
