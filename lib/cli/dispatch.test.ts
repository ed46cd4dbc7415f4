import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AccessLogEntry } from "../core/access-log";
import { dispatch } from "./dispatch";

const template: AccessLogEntry = {
  client: "198.51.100.1",
  addresses: 1,
  user: null,
  atMs: 0,
  method: "GET",
  target: "/",
  status: 200,
  bytes: 1,
  referrer: null,
  userAgent: null,
  key: null,
};

async function* entries(count: number, clients: number): AsyncGenerator<AccessLogEntry> {
  for (let i = 0; i < count; i += 1)
    yield { ...template, client: `198.51.100.${i % clients}`, target: `/${i}` };
}

test("a client's next request waits for the answer to its last one; others overtake, within the bound", async () => {
  const underway = new Set<string>();
  const order = new Map<string, number[]>();
  let most = 0;
  await dispatch({
    entries: entries(3_000, 7),
    concurrency: 4,
    speed: null,
    maxGapMs: null,
    signal: new AbortController().signal,
    send: async ({ client, target }) => {
      expect(underway.has(client)).toBe(false);
      underway.add(client);
      most = Math.max(most, underway.size);
      order.set(client, [...(order.get(client) ?? []), Number(target.slice(1))]);
      for (let i = 0; i < Number(target.slice(1)) % 3; i += 1) await turn();
      underway.delete(client);
    },
  });
  expect(most).toBe(4);
  for (const seen of order.values()) expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect([...order.values()].flat()).toHaveLength(3_000);
});
