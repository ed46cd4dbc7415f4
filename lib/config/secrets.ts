import { randomBytes } from "node:crypto";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../core/errors";
import { fieldErrors } from "../core/parse";

const schema = z.object({
  secret: z.string().min(16),
  adminPassword: z.string().min(8),
  gatewayToken: z.string().min(8),
  databasePassword: z.string().min(8),
  redisPassword: z.string().min(8),
});

export type Secrets = z.output<typeof schema>;
type FoundSecrets = { [Name in keyof Secrets]?: Secrets[Name] | undefined };

export function secretsFile(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

/** What is in the file; undefined when there is none. Throws when it cannot be read or used. */
export function findSecrets(dataDir: string): FoundSecrets | undefined {
  const file = secretsFile(dataDir);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new AppError("invalid", `${file} cannot be read: ${String(cause)}`, { cause });
  }
  const result = schema.partial().safeParse(parseJson(file, text));
  if (result.success) return result.data;
  const wrong = fieldErrors(result.error).map(({ path, message }) => `${path}: ${message}`);
  throw new AppError("invalid", `${file} is damaged (${wrong.join("; ")}): mend or remove it`);
}

/** Reads the file, making it, or the values that it lacks, first. Two processes at once end with the same values. */
export function ensureSecrets(dataDir: string): Secrets {
  const found = findSecrets(dataDir);
  const secrets = schema.parse({
    secret: randomBytes(32).toString("base64url"),
    adminPassword: readable(20),
    gatewayToken: `hgg_${randomBytes(24).toString("base64url")}`,
    databasePassword: randomBytes(18).toString("base64url"),
    redisPassword: randomBytes(18).toString("base64url"),
    ...found,
  });
  const file = secretsFile(dataDir);
  if (found !== undefined && Object.keys(schema.shape).every((name) => name in found)) {
    chmodSync(file, 0o600);
    return secrets;
  }
  mkdirSync(dataDir, { recursive: true });
  const fresh = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(fresh, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    if (found === undefined) linkSync(fresh, file);
    else renameSync(fresh, file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      return ensureSecrets(dataDir);
    throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
  return secrets;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid", `${file} is not JSON: mend or remove it`, { cause });
  }
}

/** Letters and digits that are not mistaken for each other, in groups: about 4.9 bits a character. */
function readable(length: number): string {
  const letters = "abcdefghjkmnpqrstuvwxyz23456789";
  const text = Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join("");
  return (text.match(/.{1,5}/g) ?? []).join("-");
}
