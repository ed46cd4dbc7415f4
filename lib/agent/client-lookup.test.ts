import { describe, expect, test } from "vitest";
import type { ClientId } from "../core/client-id";
import { indexOf } from "../testing/directory";
import { directoryOf } from "../testing/gateway";
import { createClientLookup } from "./client-lookup";

const directory = directoryOf("test", { "a-key": { id: "k1", customer: "acme", plan: "paid" } });

function lookUp(client: ClientId, { isComplete = true } = {}) {
  const index = indexOf(isComplete ? directory : undefined);
  return createClientLookup({ index: () => index, isComplete: () => isComplete })(client);
}

describe("with the directory", () => {
  test.each([
    ["key:k1", { state: "known", client: "key:k1", customer: "acme", plan: "paid" }],
    ["customer:acme", { state: "known", client: "customer:acme", customer: "acme", plan: "paid" }],
    ["key:acme", { state: "unknown" }],
    ["customer:k1", { state: "unknown" }],
    ["key:constructor", { state: "unknown" }],
    ["ip:198.51.100.9", { state: "unknown" }],
  ] as const)("%s", (client, found) => {
    expect(lookUp(client)).toEqual(found);
  });
});

describe("while it is not here, who was named is taken at the word", () => {
  test.each([
    ["key:k1", { state: "undecided", client: "key:k1", customer: "k1" }],
    ["customer:acme", { state: "undecided", client: "customer:acme", customer: "acme" }],
    ["ip:198.51.100.9", { state: "unknown" }],
  ] as const)("%s", (client, found) => {
    expect(lookUp(client, { isComplete: false })).toEqual(found);
  });
});
