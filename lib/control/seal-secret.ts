import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { AppError } from "@/lib/core/errors";
import type { SigningKey } from "@/lib/core/snapshot";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under the first key; `keyId.base64(iv, tag, text)`. `about` binds it to the row that holds it. */
export function sealSecret(text: string, about: string, [key]: readonly SigningKey[]): string {
  if (key === undefined) throw new Error("sealSecret needs a key, got none");
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.secret, iv).setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${key.keyId}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64")}`;
}

/** Throws `unavailable` when the root secret that it was sealed under is not given any more. */
export function openSecret(stored: string, about: string, keys: readonly SigningKey[]): string {
  const [keyId = "", text = ""] = stored.split(".");
  const key = keys.find((each) => each.keyId === keyId);
  if (key === undefined)
    throw new AppError(
      "unavailable",
      "the channel's secret was sealed under a root secret that HEADGATE_SECRET does not list any more: rotate the channel's secret",
    );
  const bytes = Buffer.from(text, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key.secret, bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(about))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const opened = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
  return Buffer.concat(opened).toString("utf8");
}
