import { describe, expect, test } from "vitest";
import { AppError } from "./errors";
import { parseInput } from "./parse";
import { SettingsSchema } from "./ruleset";

function identityOf(identity: unknown) {
  return parseInput(SettingsSchema, { identity }, "settings").identity;
}

function errorsOf(identity: unknown): string[] {
  try {
    identityOf(identity);
  } catch (error) {
    if (error instanceof AppError)
      return error.errors.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  return [];
}

test("settings that say nothing of it read what gateways always read", () => {
  expect(SettingsSchema.parse({}).identity).toEqual({
    keyHeaders: ["x-api-key", "authorization"],
    trustedHeader: null,
    addressHeader: "x-forwarded-for",
  });
});

test("names are lower case, in the order given", () => {
  expect(
    identityOf({ keyHeaders: ["X-App-Key", "Authorization"], trustedHeader: "X-Consumer" }),
  ).toEqual({
    keyHeaders: ["x-app-key", "authorization"],
    trustedHeader: "x-consumer",
    addressHeader: "x-forwarded-for",
  });
  expect(identityOf({ keyHeaders: [] }).keyHeaders).toEqual([]);
});

describe("what is refused, in a sentence", () => {
  test.each<[unknown, string]>([
    [
      { keyHeaders: ["x api"] },
      'identity.keyHeaders.0: keyHeaders must be a header name of 1..64 letters, digits and hyphens, got "x api"',
    ],
    [{ keyHeaders: [7] }, "identity.keyHeaders.0: keyHeaders must be a header name, got 7"],
    [
      { keyHeaders: "x-api-key" },
      'identity.keyHeaders: keyHeaders must be a list of at most 4 header names, got "x-api-key"',
    ],
    [
      { keyHeaders: ["a", "b", "c", "d", "e"] },
      "identity.keyHeaders: keyHeaders must be a list of at most 4 header names, got a list of 5",
    ],
    [
      { keyHeaders: ["X-Key", "x-key"] },
      'identity.keyHeaders.1: keyHeaders must name each header once, got "x-key" twice',
    ],
    ...["Host", "Cookie", "Proxy-Authorization", "TE", "X-Forwarded-For", "Forwarded"].map(
      (name): [unknown, string] => [
        { keyHeaders: [name] },
        `identity.keyHeaders.0: keyHeaders must be a header that is the sender's own and reaches the upstream, got "${name.toLowerCase()}"`,
      ],
    ),
    [
      { trustedHeader: "" },
      'identity.trustedHeader: trustedHeader must be a header name of 1..64 letters, digits and hyphens, got ""',
    ],
    [
      { trustedHeader: "X-Api-Key" },
      'identity.trustedHeader: trustedHeader must not be a header that holds a key, got "x-api-key"',
    ],
    [
      { keyHeaders: [], trustedHeader: "authorization" },
      'identity.trustedHeader: trustedHeader must not be a header that holds a key, got "authorization"',
    ],
    [
      { addressHeader: "x-real-ip" },
      'identity.addressHeader: addressHeader must be one of x-forwarded-for, forwarded, got "x-real-ip"',
    ],
    [{ header: "x" }, 'identity.header: "header" is not known here'],
  ])("%j", (identity, sentence) => {
    expect(errorsOf(identity)).toEqual([sentence]);
  });
});
