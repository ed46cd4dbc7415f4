import { idOfName } from "@/components/rules/new-rule";

const PART_MAX = 24;
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

/** `acme-per-key-x7k2`: says in the audit log whose it is and of what, and is free. */
export function newOverrideId(client: string, rule: string): string {
  const who = idOfName(client.slice(client.indexOf(":") + 1)).slice(0, PART_MAX);
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  const end = [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  return idOfName(`${who}-${rule.slice(0, PART_MAX)}-${end}`);
}
