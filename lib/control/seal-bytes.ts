import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { AppError } from "@/lib/core/errors";
import { deriveKeys } from "@/lib/core/secrets";
import type { Control } from "./context";

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

type Secrets = { config: Pick<Control["config"], "secrets"> };

/** AES-256-GCM: key id, iv, tag, text. `about` binds it to the row that holds it. */
export function sealBytes({ config }: Secrets, bytes: Uint8Array, about: string): Buffer {
  const [key] = deriveKeys(config.secrets, "log");
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.secret, iv).setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([Buffer.from(key.keyId, "hex"), iv, cipher.getAuthTag(), sealed]);
}

/** Throws `unavailable` when the root secret that it was sealed under is not given any more. */
export function openBytes({ config }: Secrets, stored: Uint8Array, about: string): Buffer {
  const bytes = Buffer.from(stored);
  const keyId = bytes.subarray(0, KEY_ID_BYTES).toString("hex");
  const key = deriveKeys(config.secrets, "log").find((each) => each.keyId === keyId);
  if (key === undefined)
    throw new AppError(
      "unavailable",
      "the log was sealed under a root secret that HEADGATE_SECRET does not list any more: upload it again",
    );
  const ivEnd = KEY_ID_BYTES + IV_BYTES;
  const tagEnd = ivEnd + TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key.secret, bytes.subarray(KEY_ID_BYTES, ivEnd))
    .setAAD(Buffer.from(about))
    .setAuthTag(bytes.subarray(ivEnd, tagEnd));
  return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
}
