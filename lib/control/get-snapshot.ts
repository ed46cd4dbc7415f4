import type { Ctx } from "./context";
import { type EncodedVersion, encodeVersion } from "./encode-version";
import { getInstallation } from "./live-version";
import { requirePermission } from "./permission";

/** The live version's signed document, as Redis has it. `etag` changes with every byte. */
export async function getSnapshot(ctx: Ctx): Promise<EncodedVersion> {
  requirePermission(ctx, "fleet");
  const { version } = await getInstallation(ctx.db);
  return encodeVersion(ctx, version);
}
