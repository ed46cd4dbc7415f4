import {
  CLOSE_LIST,
  COMMA,
  findRules,
  mayNameRules,
  objectEnd,
  type Span,
  skipSpace,
  startsWith,
} from "./body-text";
import { fieldErrors } from "./parse";
import { type Body, BodySchema, RULES_MAX, type RuleEntry, RuleEntrySchema } from "./ruleset";
import type { Steps } from "./steps";

/** A body with the bytes that it was read from, where the next version's reader finds what it need not read again. */
export type ReadBody = {
  body: Body;
  bytes: Uint8Array;
  /** Inside the brackets of the rules; null: it was read in one piece. */
  list: Span | null;
  /** Of each rule, in the order of `body.rules`. */
  spans: readonly Span[];
};

export type BodyRead = { ok: true; read: ReadBody } | { ok: false; path: string; message: string };

/** Rules that are the known ones are compared in so many a step; one that is not is a step of its own. */
const SAME_A_STEP = 32;

/**
 * What `BodySchema` makes of the JSON text, a rule a step; of what is wrong it says the first. A rule that has the bytes it
 * had in `known` is taken from there, as are all other members together: neither parsed nor validated again.
 */
export function* readBodySteps(bytes: Uint8Array, known?: ReadBody): Steps<BodyRead> {
  const from = rulesFrom(bytes, known);
  if (from === null) return readWhole(bytes);
  yield;
  const entries: RuleEntry[] = [];
  const spans: Span[] = [];
  const ids = new Set<string>();
  const old = cursor(known);
  let at = skipSpace(bytes, from);
  let isListed = bytes[at] !== CLOSE_LIST;
  while (isListed) {
    const same = old.next();
    let entry: RuleEntry;
    let to: number;
    if (same !== null && startsWith(bytes, at, same.bytes, same.span)) {
      entry = same.entry;
      to = at + same.span.to - same.span.from;
      old.step();
      if (entries.length % SAME_A_STEP === 0) yield;
    } else {
      const end = objectEnd(bytes, at);
      if (end === null) return readWhole(bytes);
      const parsed = RuleEntrySchema.safeParse(json(bytes.subarray(at, end)));
      if (!parsed.success) return wrongRule(entries.length, parsed.error);
      entry = parsed.data;
      to = end;
      old.after(entry.id);
      yield;
    }
    if (ids.has(entry.id)) return twice(entries.length, entry.id);
    if (entries.length === RULES_MAX) return readWhole(bytes);
    ids.add(entry.id);
    entries.push(entry);
    spans.push({ from: at, to });
    at = skipSpace(bytes, to);
    isListed = bytes[at] === COMMA;
    if (isListed) at = skipSpace(bytes, at + 1);
  }
  if (bytes[at] !== CLOSE_LIST) return readWhole(bytes);
  const list = { from, to: at };
  const rest = readRest(bytes, list, known);
  if (rest === null) return readWhole(bytes);
  if (!rest.ok) return rest;
  yield;
  // A copy: a client may use the memory of a reply again, and then it would equal whatever comes next.
  const read = { body: { ...rest.read.body, rules: entries }, bytes: bytes.slice(), list, spans };
  return { ok: true, read };
}

function rulesFrom(bytes: Uint8Array, known: ReadBody | undefined): number | null {
  if (known?.list) {
    const { from } = known.list;
    if (startsWith(bytes, 0, known.bytes, { from: 0, to: from })) return from;
  }
  return findRules(bytes);
}

/** Walks the known rules as the new ones are read; after a changed or new rule it goes on where that one was. */
function cursor(known: ReadBody | undefined) {
  let places: Map<string, number> | null = null;
  let next = 0;
  return {
    next() {
      const span = known?.spans[next];
      const entry = known?.body.rules[next];
      if (known === undefined || span === undefined || entry === undefined) return null;
      return { bytes: known.bytes, span, entry };
    },
    step() {
      next += 1;
    },
    after(id: string) {
      places ??= new Map(known?.body.rules.map((entry, i) => [entry.id, i]));
      const place = places.get(id);
      if (place !== undefined) next = place + 1;
    },
  };
}

/** Everything but the rules. Null: only the whole can be read. */
function readRest(
  bytes: Uint8Array,
  { from, to }: Span,
  known: ReadBody | undefined,
): BodyRead | null {
  const after = bytes.subarray(to);
  if (known?.list) {
    const end = { from: known.list.to, to: known.bytes.length };
    const isSame =
      from === known.list.from &&
      end.to - end.from === after.length &&
      startsWith(bytes, 0, known.bytes, { from: 0, to: from }) &&
      startsWith(bytes, to, known.bytes, end);
    if (isSame) return { ok: true, read: known };
  }
  const text = new TextDecoder().decode(after);
  if (mayNameRules(text)) return null;
  return parsedWhole(json(bytes.subarray(0, from), text), bytes);
}

function readWhole(bytes: Uint8Array): BodyRead {
  return parsedWhole(json(bytes), bytes);
}

function parsedWhole(value: unknown, bytes: Uint8Array): BodyRead {
  const parsed = BodySchema.safeParse(value);
  if (parsed.success)
    return { ok: true, read: { body: parsed.data, bytes, list: null, spans: [] } };
  const [first] = fieldErrors(parsed.error);
  return { ok: false, path: first?.path ?? "", message: first?.message ?? "" };
}

function wrongRule(index: number, error: Parameters<typeof fieldErrors>[0]): BodyRead {
  const [first] = fieldErrors(error);
  const path = ["rules", String(index), first?.path ?? ""].filter((part) => part !== "");
  return { ok: false, path: path.join("."), message: first?.message ?? "" };
}

function twice(index: number, id: string): BodyRead {
  return { ok: false, path: `rules.${index}.id`, message: `"${id}" occurs twice in rules` };
}

/** What is no JSON is undefined, which no schema takes. */
function json(bytes: Uint8Array, rest = ""): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes) + rest);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
