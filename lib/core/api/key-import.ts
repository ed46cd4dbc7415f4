import { z } from "zod";
import { KEY_MAX, KEY_MIN } from "../api-key";
import { KEY_HASH } from "../directory";
import { shown, slug, textLine } from "../parse";
import { PlanIdSchema } from "../plan";
import { CountSchema } from "./common";

export const IMPORT_ROWS_MAX = 1_000;

/** Addresses beside `/keys/{id}`. */
const TAKEN_IDS = ["import", "export"];
const CELL_MAX = 1_000;
const cell = z.string().max(CELL_MAX).optional();

/** A line of a list of keys, as it was read. What is wrong in it refuses the line, not the request. */
export const KeyImportLineSchema = z.strictObject({
  /** Of the file, from 1. */
  line: z.int().min(1),
  key: cell,
  hash: cell,
  hashKeyId: cell,
  id: cell,
  customer: cell,
  plan: cell,
  name: cell,
});

/** POST /keys/import. A list of any length goes in several requests; repeating one changes nothing. */
export const KeyImportRequestSchema = z.strictObject({
  rows: z.array(KeyImportLineSchema).min(1).max(IMPORT_ROWS_MAX),
  /** Only says what it would do. */
  dryRun: z.boolean().default(false),
  /** A customer who is on another plan is moved; else such lines are refused. */
  movePlans: z.boolean().default(false),
});

export const KeyImportResultSchema = z.object({
  line: z.int(),
  /** made: a new key. changed: a known one was renamed or its customer moved. same: nothing to do. */
  outcome: z.enum(["made", "changed", "same", "refused"]),
  id: z.string().optional(),
  message: z.string().optional(),
});

export const KeyImportAnswerSchema = z.object({
  results: z.array(KeyImportResultSchema),
  made: CountSchema,
  changed: CountSchema,
  same: CountSchema,
  refused: CountSchema,
});

export type KeyImportLine = z.output<typeof KeyImportLineSchema>;
export type KeyImportRequest = z.output<typeof KeyImportRequestSchema>;
export type KeyImportResult = z.output<typeof KeyImportResultSchema>;
export type KeyImportAnswer = z.output<typeof KeyImportAnswerSchema>;

// Never the text itself: a refusal is shown, stored and sent around.
const keyText = z
  .string()
  .min(KEY_MIN, {
    error: (issue) =>
      `a key must have ${KEY_MIN}..${KEY_MAX} characters, got ${String(issue.input).length}`,
  })
  .max(KEY_MAX, {
    error: (issue) =>
      `a key must have ${KEY_MIN}..${KEY_MAX} characters, got ${String(issue.input).length}`,
  })
  .regex(/^[\x21-\x7e]+$/, {
    error: "a key must be of printable ASCII without blanks: no header can carry another",
  });

/** What a line must be, to become a key. */
export const KeyImportRowSchema = z
  .object({
    key: keyText.optional(),
    hash: z
      .string()
      .toLowerCase()
      .regex(KEY_HASH, { error: "a hash must be 64 hexadecimal digits" })
      .optional(),
    hashKeyId: z
      .string()
      .regex(/^[0-9a-f]{8}$/, {
        error: (issue) => `hash_key_id must be eight hexadecimal digits, got ${shown(issue.input)}`,
      })
      .optional(),
    id: slug("id")
      .refine((id) => !TAKEN_IDS.includes(id), {
        error: (issue) => `id must not be ${TAKEN_IDS.join(" or ")}, got ${shown(issue.input)}`,
      })
      .optional(),
    customer: slug("customer").optional(),
    plan: PlanIdSchema.optional(),
    name: textLine("name", 120).optional(),
  })
  .refine((row) => row.key === undefined || row.hash === undefined, {
    error: "a line gives a key or its hash, got both",
  })
  .refine((row) => row.key !== undefined || row.hash !== undefined || row.id !== undefined, {
    error: "a line must give a key, its hash, or the id of a key that is known",
  });

export type KeyImportRow = z.output<typeof KeyImportRowSchema>;
