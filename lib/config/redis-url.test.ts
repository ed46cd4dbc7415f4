import { describe, expect, test } from "vitest";
import { describeRedisNode, parseRedisUrl, splitUrls } from "./redis-url";

const plain = { name: "redis", host: "h.example", port: 6379, database: 0, tls: false };
const odd = "p@ss/w=#x%25";

describe("the address is read", () => {
  test.each([
    ["redis://h.example", plain],
    ["redis://h.example:7000", { ...plain, port: 7000 }],
    ["redis://h.example/", plain],
    ["redis://h.example:6379/3", { ...plain, database: 3 }],
    ["rediss://h.example", { ...plain, tls: true }],
    ["REDIS://h.example", plain],
    ["redis://[2001:db8::1]:7000/1", { ...plain, host: "2001:db8::1", port: 7000, database: 1 }],
    ["redis://user:pass@h.example", { ...plain, username: "user", password: "pass" }],
    ["redis://user:@h.example", { ...plain, username: "user" }],
    ["redis://:@h.example", plain],
    ["redis://:pass@h.example/3", { ...plain, password: "pass", database: 3 }],
  ])("%s", (url, expected) => {
    expect(parseRedisUrl(url)).toEqual(expected);
  });
});

describe("a password arrives as it was meant", () => {
  test.each([
    [`redis://:${encodeURIComponent(odd)}@h.example/3`, odd],
    ["redis://:p@ss/w=#x@h.example/3", "p@ss/w=#x"],
    ["redis://:p@ss/w=#x%2525@h.example/3", odd],
    ["redis://:q8+/abc==@h.example/3", "q8+/abc=="],
    ["redis://:q8%2B%2Fabc%3D%3D@h.example/3", "q8+/abc=="],
    ["redis://:100%@h.example/3", "100%"],
    ["redis://:a%zzb%ff@h.example/3", "a%zzb%ff"],
    ["redis://:a?b@h.example/3", "a?b"],
    ["redis://:a:b:c@h.example/3", "a:b:c"],
    ["redis://:p%C3%A4ss@h.example/3", "päss"],
  ])("%s", (url, password) => {
    expect(parseRedisUrl(url)).toEqual({ ...plain, password, database: 3 });
  });
});

describe("what is not supported is refused by name", () => {
  test.each([
    [
      "redis+sentinel://:hunter2@h.example/3",
      "has the scheme redis+sentinel, which is not supported",
    ],
    ["http://h.example", "has the scheme http, which is not supported"],
    ["h.example:6379", "is not of the form redis://"],
    ["redis://", "is not of the form redis://"],
    ["redis://h.example:0", "has a port that is not 1..65535"],
    ["redis://h.example:70000", "has a port that is not 1..65535"],
    ["redis://h.example/x", "has a database that is not a number 0..1023"],
    ["redis://h.example?password=hunter2", "has parameters after ?, which are not supported"],
  ])("%s", (url, message) => {
    const result = parseRedisUrl(url);
    expect(result).toEqual({ wrong: expect.stringContaining(message) });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });
});

test("a description names host, port and database, never the password", () => {
  const node = parseRedisUrl("rediss://user:hunter2@[2001:db8::1]:7000/3");
  if ("wrong" in node) throw new Error(node.wrong);
  expect(describeRedisNode(node)).toBe("rediss://[2001:db8::1]:7000/3");
});

test("a list is split at commas between addresses, not at those inside a password", () => {
  expect(splitUrls("a=redis://:x,y@h1:1, b=rediss://h2:2")).toEqual([
    "a=redis://:x,y@h1:1",
    "b=rediss://h2:2",
  ]);
});
