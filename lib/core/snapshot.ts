import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { SUPPORTED_FEATURES } from "./features";
import { fieldErrors } from "./parse";
import { type ReadBody, readBodySteps } from "./read-body";
import type { Body } from "./ruleset";
import { runSteps, type Steps } from "./steps";

export const SNAPSHOT_SCHEMA = 1;

export const EnvelopeSchema = z.object({
  schema: z.literal(SNAPSHOT_SCHEMA),
  environment: z.string().min(1),
  epoch: z.int().min(1),
  version: z.int().min(1),
  /** sha256 of the body's bytes, hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Which secret signed it. */
  keyId: z.string().min(1),
  signature: z.string().regex(/^[0-9a-f]{64}$/),
  requires: z.array(z.string()),
  meta: z.record(z.string(), z.unknown()).optional(),
});

export type Envelope = z.output<typeof EnvelopeSchema>;

/** A secret derived for one purpose, with the id that is stored beside what it made. */
export type SigningKey = { keyId: string; secret: Uint8Array };

type Unsigned = Pick<Envelope, "environment" | "epoch" | "version" | "requires"> & {
  body: Uint8Array;
};

/** The document as it lies in Redis, in boot files and on HTTP: envelope line, `\n`, the body's own bytes. */
export function encodeSnapshot(unsigned: Unsigned, key: SigningKey): Uint8Array {
  const { body, ...rest } = unsigned;
  const fields = { schema: SNAPSHOT_SCHEMA, ...rest, hash: bodyHash(body) } as const;
  const envelope: Envelope = { ...fields, keyId: key.keyId, signature: sign(fields, key.secret) };
  const line = utf8ToBytes(`${JSON.stringify(envelope)}\n`);
  const document = new Uint8Array(line.length + body.length);
  document.set(line);
  document.set(body, line.length);
  return document;
}

export type SnapshotRead =
  | { ok: true; envelope: Envelope; body: Body; read: ReadBody }
  | { ok: false; reason: string; envelope: Envelope | null };

/**
 * Verifies a document before anything of it is used; `reason` is a sentence for the fleet page.
 * Refused whole: empty, unparsable, another environment, unknown key, bad signature or hash, an unknown feature.
 */
export function readSnapshot(document: Uint8Array, expected: Expected): SnapshotRead {
  return runSteps(snapshotSteps(document, expected));
}

type Expected = {
  environment: string;
  keys: readonly SigningKey[];
  features?: readonly string[];
  /** sha256 as hex; a faster one than `bodyHash`, where there is one. */
  hashOf?: (bytes: Uint8Array) => Steps<string>;
  /** What was read before: what has the same bytes is taken from it. */
  known?: ReadBody | undefined;
};

/** As `readSnapshot`; the longest step is to read one rule, or all but the rules if that changed. */
export function* snapshotSteps(document: Uint8Array, expected: Expected): Steps<SnapshotRead> {
  const newline = document.indexOf(0x0a);
  if (newline <= 0) return refuse("the snapshot is empty or has no envelope line");
  const decoder = new TextDecoder();
  const parsed = EnvelopeSchema.safeParse(json(decoder.decode(document.subarray(0, newline))));
  if (!parsed.success) {
    const first = fieldErrors(parsed.error)[0];
    return refuse(`the envelope is not valid: ${first?.path ?? ""} ${first?.message ?? ""}`);
  }
  const envelope = parsed.data;
  if (envelope.environment !== expected.environment) {
    return refuse(
      `the snapshot is of environment "${envelope.environment}", this gateway serves "${expected.environment}"`,
      envelope,
    );
  }
  const key = expected.keys.find(({ keyId }) => keyId === envelope.keyId);
  if (key === undefined) {
    return refuse(
      `the snapshot is signed with key ${envelope.keyId}, which this gateway does not have`,
      envelope,
    );
  }
  if (!equalText(sign(envelope, key.secret), envelope.signature))
    return refuse("the signature does not fit", envelope);
  const bytes = document.subarray(newline + 1);
  yield;
  const hash = expected.hashOf === undefined ? bodyHash(bytes) : yield* expected.hashOf(bytes);
  if (hash !== envelope.hash) return refuse("the body does not have the hash it claims", envelope);
  const features = expected.features ?? SUPPORTED_FEATURES;
  const missing = envelope.requires.filter((feature) => !features.includes(feature));
  if (missing.length > 0)
    return refuse(
      `the snapshot requires ${missing.join(", ")}, which this gateway lacks`,
      envelope,
    );
  yield;
  const body = yield* readBodySteps(bytes, expected.known);
  if (!body.ok) return refuse(`the body is not valid: ${body.path}: ${body.message}`, envelope);
  return { ok: true, envelope, body: body.read.body, read: body.read };
}

export function bodyHash(body: Uint8Array): string {
  return bytesToHex(sha256(body));
}

function sign(
  fields: Pick<Envelope, "schema" | "environment" | "epoch" | "version" | "hash" | "requires">,
  secret: Uint8Array,
): string {
  const { schema, environment, epoch, version, hash, requires } = fields;
  const text = JSON.stringify([schema, environment, epoch, version, hash, requires]);
  return bytesToHex(hmac(sha256, secret, utf8ToBytes(text)));
}

function refuse(reason: string, envelope: Envelope | null = null): SnapshotRead {
  return { ok: false, reason, envelope };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? undefined : error;
  }
}

/** Compares without leaving early, so that the time taken tells nothing. */
function equalText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
