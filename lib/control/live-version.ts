import { AppError } from "@/lib/core/errors";
import { type Body, BodySchema } from "@/lib/core/ruleset";
import { type Content, contentOf } from "@/lib/core/ruleset-objects";
import type { VersionId } from "@/lib/core/version";
import type { Reader } from "@/lib/db/client";
import { findInstallation, type Installation } from "@/lib/db/installation";

/** One version as the control plane works with it. */
export type LoadedVersion = VersionId & {
  hash: string;
  body: Body;
  content: Content;
  createdAt: Date;
};

export async function getInstallation(reader: Reader): Promise<Installation> {
  const installation = await findInstallation(reader);
  if (installation !== null) return installation;
  throw new AppError("unavailable", "Headgate is not set up yet: its seed has not run");
}

/** The version in force. Throws before the first start. */
export async function getLive(reader: Reader): Promise<LoadedVersion> {
  const { version } = await getInstallation(reader);
  return loadVersion(reader, version);
}

/** Throws `not_found` for a number that no version has. */
export async function loadVersion(reader: Reader, number: number): Promise<LoadedVersion> {
  const row = await reader.version.findUnique({ where: { number } });
  if (row === null) throw new AppError("not_found", `there is no version ${number}`);
  const body = parsedBody(row.hash, row.body);
  return {
    epoch: row.epoch,
    version: row.number,
    hash: row.hash,
    body,
    content: contentOf(body),
    createdAt: row.createdAt,
  };
}

// Bodies are immutable and named by their hash, so the last few are kept parsed: nearly every verb reads the live one.
const PARSED_KEPT = 8;
const parsed = new Map<string, Body>();

function parsedBody(hash: string, bytes: Uint8Array): Body {
  const known = parsed.get(hash);
  if (known !== undefined) return known;
  const body = BodySchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  parsed.set(hash, body);
  const oldest = parsed.keys().next();
  if (parsed.size > PARSED_KEPT && !oldest.done) parsed.delete(oldest.value);
  return body;
}
