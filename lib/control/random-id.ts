import { randomBytes } from "node:crypto";
import { apiKeyOf, base62 } from "@/lib/core/api-key";

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 12;

/** 12 of a-z and 0-9, 62 bits: short enough to read aloud, far from a collision at a million keys. */
export function randomId(): string {
  let id = "";
  while (id.length < ID_LENGTH) {
    for (const byte of randomBytes(ID_LENGTH)) {
      // 252 is the largest multiple of 36: above it the first letters would come more often.
      if (byte < 252 && id.length < ID_LENGTH) id += LETTERS[byte % LETTERS.length];
    }
  }
  return id;
}

export function randomApiKey(): string {
  return apiKeyOf(randomBytes(40));
}

export function randomToken(): string {
  return `hgt_${base62(randomBytes(40), 40)}`;
}

export function randomLinkToken(): string {
  return base62(randomBytes(40), 40);
}

/** As the Standard Webhooks libraries take it: 32 bytes. */
export function randomWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
