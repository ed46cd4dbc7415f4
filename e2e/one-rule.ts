import { z } from "zod";
import type { Api } from "./fixtures";

/** Publishes the caller's draft, whatever evidence is missing. */
export async function publishDraft(api: Api, message: string): Promise<void> {
  const { body } = await api("GET", "/draft");
  const { baseVersion } = z.object({ baseVersion: z.int() }).parse(body);
  await api("POST", "/publish", {
    message,
    baseVersion,
    acknowledgeGaps: true,
    acknowledgeRadius: true,
  });
}

type OneRule = { id: string; limit: object; message: string };

/** One enforced rule, alone: a token bucket for each API key, with these amounts. */
export async function enforceOneRule(api: Api, rule: OneRule): Promise<void> {
  await publishOneRule(api, { ...rule, mode: "enforce" });
}

/** The same, in a mode. */
export async function publishOneRule(
  api: Api,
  { id, limit, message, mode }: OneRule & { mode: "shadow" | "enforce" },
): Promise<void> {
  await api("POST", "/draft/discard");
  const { body: list } = await api("GET", "/rules?limit=500");
  const { items } = z.object({ items: z.array(z.object({ id: z.string() })) }).parse(list);
  for (const other of items) if (other.id !== id) await api("DELETE", `/draft/rules/${other.id}`);
  await api("PUT", `/draft/rules/${id}`, {
    name: "Requests per key",
    countBy: ["apiKey"],
    limit: { kind: "rate", algorithm: "token-bucket", ...limit },
    mode,
  });
  await publishDraft(api, message);
}
