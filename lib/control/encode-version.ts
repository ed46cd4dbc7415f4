import { AppError } from "@/lib/core/errors";
import { encodeSnapshot } from "@/lib/core/snapshot";
import type { VersionId } from "@/lib/core/version";
import type { Control } from "./context";

export type EncodedVersion = VersionId & { hash: string; etag: string; document: Uint8Array };

/** The signed document of a version, from its body's own bytes. */
export async function encodeVersion(
  { db, environment, keys }: Pick<Control, "db" | "environment" | "keys">,
  number: number,
): Promise<EncodedVersion> {
  const row = await db.version.findUnique({ where: { number } });
  if (row === null) throw new AppError("not_found", `there is no version ${number}`);
  const [key] = keys.snapshot;
  const { epoch, hash, requires, body } = row;
  return {
    epoch,
    version: row.number,
    hash,
    // All that the bytes depend on: another signing key makes another document of the same version.
    etag: `"${epoch}.${row.number}.${hash.slice(0, 16)}.${key.keyId}"`,
    document: encodeSnapshot({ environment, epoch, version: row.number, requires, body }, key),
  };
}
