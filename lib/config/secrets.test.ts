import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { loadGatewayConfig } from "./config";
import { ensureSecrets, secretsFile } from "./secrets";

const folder = mkdtempSync(join(tmpdir(), "headgate-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

let dataDir: string;
let file: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, "data-"));
  file = secretsFile(dataDir);
});

test("secrets are made once, long, and readable by the owner only", () => {
  const deep = join(dataDir, "deep", "er");
  const made = ensureSecrets(deep);
  expect(statSync(secretsFile(deep)).mode & 0o777).toBe(0o600);
  expect(made.secret.length).toBeGreaterThanOrEqual(43);
  expect(ensureSecrets(deep)).toEqual(made);
});

test("a file that others could read is closed to them", () => {
  ensureSecrets(dataDir);
  chmodSync(file, 0o644);
  ensureSecrets(dataDir);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("values that an older file lacks are added, the others stay", () => {
  writeFileSync(file, JSON.stringify({ secret: "a-secret-from-before" }));
  const made = ensureSecrets(dataDir);
  expect(made.secret).toBe("a-secret-from-before");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(made);
});

test("a damaged file is refused by name and not overwritten", () => {
  writeFileSync(file, '{"secret": "sho');
  expect(() => ensureSecrets(dataDir)).toThrow(`${file} is not JSON`);
  writeFileSync(file, '{"secret": 1}');
  expect(() => ensureSecrets(dataDir)).toThrow(`${file} is damaged (secret`);
  expect(readFileSync(file, "utf8")).toBe('{"secret": 1}');
});

test("a gateway beside the console uses its secrets; alone it makes none, and says what it needs", () => {
  const env = {
    HEADGATE_DATA: dataDir,
    HEADGATE_GATEWAY_PORT: "8081",
    HEADGATE_UPSTREAM: "http://127.0.0.1:9000",
    REDIS_URL: "redis://127.0.0.1",
  };
  expect(() => loadGatewayConfig(env)).toThrow(
    `HEADGATE_SECRET must be set to the console's, as ${file} does not hold it`,
  );
  const made = ensureSecrets(dataDir);
  expect(loadGatewayConfig(env)).toMatchObject({
    secrets: [made.secret],
    gatewayToken: made.gatewayToken,
  });
});

test("a data folder that is a file is refused", () => {
  mkdirSync(join(dataDir, "x"));
  writeFileSync(join(dataDir, "x", "y"), "");
  expect(() => ensureSecrets(join(dataDir, "x", "y"))).toThrow("cannot be read");
});
