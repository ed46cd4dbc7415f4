import { createHash } from "node:crypto";
import type { z } from "zod";
import type { ObjectKind } from "@/lib/core/api/change";
import {
  type DraftContent,
  type DraftContentResult,
  DraftContentWriteSchema,
} from "@/lib/core/api/draft-content";
import { diffContents, summariseChanges } from "@/lib/core/diff";
import { AppError, type FieldError } from "@/lib/core/errors";
import { LIST_NAMES } from "@/lib/core/list-entry";
import { parseInput } from "@/lib/core/parse";
import { type Content, objectName, type RulesetObject } from "@/lib/core/ruleset-objects";
import { type RulesetSections, sectionsOf } from "@/lib/core/ruleset-yaml";
import { inTransaction, type Reader, type Tx } from "@/lib/db/client";
import { type DraftRow, ensureDraft, findDraft, lockDraft } from "@/lib/db/drafts";
import { jsonColumn } from "@/lib/db/json";
import type { Ctx } from "./context";
import { applyEdits, type DraftEdit, editsOf, isAs } from "./draft-edits";
import { draftOwner } from "./draft-owner";
import { findingsOf } from "./findings";
import { getLive, type LoadedVersion, loadVersion } from "./live-version";
import { parseObject } from "./parse-object";
import { requirePermission } from "./permission";
import { randomId } from "./random-id";

/** The whole ruleset as the caller's draft has it: what the text view shows and `pull --draft` writes. */
export async function getDraftContent(ctx: Ctx): Promise<DraftContent> {
  requirePermission(ctx, "read");
  const draft = await findDraft(ctx.db, draftOwner(ctx.actor));
  const base = await baseOf(ctx.db, draft);
  const content = sectionsOf(applyEdits(base.content, editsOf(draft)));
  return { baseVersion: base.version, tag: tagOf(draft, base), content };
}

/**
 * Makes the caller's draft what the given sections say, in one step; a section that is not given stays as the draft has it.
 * Rules and plans that a section does not name go only with `prune`. Field errors have paths such as
 * `rules.<id>.limit.rate`.
 */
export async function putDraftContent(ctx: Ctx, input: Input): Promise<DraftContentResult> {
  requirePermission(ctx, "draft");
  const request = parseInput(DraftContentWriteSchema, input, "the ruleset");
  const objects = readObjects(request.content);
  const owner = draftOwner(ctx.actor);
  return inTransaction(ctx.db, async (tx) => {
    const found = await lockDraft(tx, owner);
    const base = await baseOf(tx, found);
    const { held, wanted, unnamed } = wantedBy(request, { objects, found, base });
    const touched = new Set(wanted.map(objectName));
    const kept = held.filter((edit) => !touched.has(objectName(edit)));
    const made = wanted.filter((edit) => !isAs(base, edit));
    const saved = await saveItems(ctx, tx, { found, base, owner, touched: wanted, made });
    const after = applyEdits(base.content, [...kept, ...made]);
    return resultOf(ctx, tx, { before: base.content, after, base, draft: saved, unnamed });
  });
}

/** What `putDraftContent` would change in the caller's draft, which stays as it is. */
export async function diffDraftContent(ctx: Ctx, input: Input): Promise<DraftContentResult> {
  requirePermission(ctx, "draft");
  const request = parseInput(DraftContentWriteSchema, input, "the ruleset");
  const objects = readObjects(request.content);
  const found = await findDraft(ctx.db, draftOwner(ctx.actor));
  const base = await baseOf(ctx.db, found);
  const { now, wanted, unnamed } = wantedBy(request, { objects, found, base });
  const after = applyEdits(now, wanted);
  return resultOf(ctx, ctx.db, { before: now, after, base, draft: found, unnamed });
}

type Input = z.input<typeof DraftContentWriteSchema>;

function baseOf(reader: Reader, draft: DraftRow | null): Promise<LoadedVersion> {
  return draft === null ? getLive(reader) : loadVersion(reader, draft.baseVersion);
}

type Given = { objects: RulesetObject[]; found: DraftRow | null; base: LoadedVersion };

function wantedBy(
  { content, prune, tag }: z.output<typeof DraftContentWriteSchema>,
  { objects, found, base }: Given,
) {
  requireTag(found, base, tag);
  const held = editsOf(found);
  const now = applyEdits(base.content, held);
  const named = new Set(objects.map(objectName));
  const others = (["rule", "candidate", "plan"] as const)
    .filter((kind) => content[`${kind}s`] !== undefined)
    .flatMap((kind) => now[`${kind}s`].map(({ id }) => ({ kind, id })))
    .filter((each) => !named.has(objectName(each)));
  const puts = objects.map((object): DraftEdit => {
    const { kind, id } = object;
    return { op: "put", kind, id, object };
  });
  const deletes = others.map((each): DraftEdit => ({ op: "delete", ...each }));
  return prune === true
    ? { held, now, wanted: [...puts, ...deletes], unnamed: [] }
    : { held, now, wanted: puts, unnamed: others };
}

type Outcome = {
  before: Content;
  after: Content;
  base: LoadedVersion;
  draft: DraftRow | null;
  unnamed: DraftContentResult["unnamed"];
};

async function resultOf(
  ctx: Ctx,
  reader: Reader,
  { before, after, base, draft, unnamed }: Outcome,
): Promise<DraftContentResult> {
  const changes = diffContents(before, after);
  const names = new Set(changes.map(objectName));
  const findings = await findingsOf(ctx, reader, after);
  return {
    baseVersion: base.version,
    tag: tagOf(draft, base),
    summary: summariseChanges(changes),
    objects: changes.map(({ before: _, after: __, diff: ___, ...change }) => change),
    unnamed,
    lint: findings.filter((each) => each.level === "error" || names.has(objectName(each))),
  };
}

type Save = {
  found: DraftRow | null;
  base: LoadedVersion;
  owner: string;
  touched: readonly DraftEdit[];
  /** Those of `touched` that differ from the base. */
  made: readonly DraftEdit[];
};

/** A save of an object that is as it was keeps its number, so that nobody's open form is told of nothing. */
async function saveItems(
  ctx: Ctx,
  tx: Tx,
  { found, base, owner, touched, made }: Save,
): Promise<DraftRow | null> {
  const held = new Map((found?.items ?? []).map((item) => [objectName(named(item)), item]));
  const isHeld = (edit: DraftEdit) => {
    const item = held.get(objectName(edit));
    return item !== undefined && isAs({ content: applyEdits(base.content, editsOf(found)) }, edit);
  };
  const fresh = made.filter((edit) => !isHeld(edit));
  const gone = touched.filter((edit) => !made.includes(edit) || fresh.includes(edit));
  if (found === null && fresh.length === 0) return null;
  const { epoch, version } = base;
  const draft =
    found ?? (await ensureDraft(tx, { id: randomId(), owner, base: { epoch, version } }));
  for (const kind of new Set(gone.map((edit) => edit.kind)))
    await tx.draftItem.deleteMany({
      where: {
        draftId: draft.id,
        kind,
        objectId: { in: gone.filter((edit) => edit.kind === kind).map(({ id }) => id) },
      },
    });
  const updatedAt = new Date(ctx.clock.nowMs());
  await tx.draftItem.createMany({
    data: fresh.map((edit) => ({
      draftId: draft.id,
      kind: edit.kind,
      objectId: edit.id,
      op: edit.op,
      ...(edit.op === "put" ? { body: jsonColumn(edit.object.body) } : {}),
      edit: (held.get(objectName(edit))?.edit ?? 0) + 1,
      updatedAt,
    })),
  });
  await tx.draft.update({ where: { id: draft.id }, data: { updatedAt } });
  const left = await lockDraft(tx, owner);
  if (left === null || left.items.length > 0) return left;
  await tx.draft.delete({ where: { id: draft.id } });
  return null;
}

function named({ kind, objectId }: { kind: string; objectId: string }) {
  return { kind: kind as ObjectKind, id: objectId };
}

/** Every object of the sections, or all that is wrong in any of them. */
function readObjects(sections: RulesetSections): RulesetObject[] {
  const { settings, lists, routes, plans, rules, candidates } = sections;
  const errors: FieldError[] = [];
  const read = (at: string, input: Parameters<typeof parseObject>[0]): RulesetObject[] => {
    try {
      return [parseObject(input)];
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      errors.push(
        ...error.errors.map(({ path, message }) => ({
          path: path === "" ? at : `${at}.${path}`,
          message,
        })),
      );
      return [];
    }
  };
  const objects = [
    ...(settings === undefined
      ? []
      : read("settings", { kind: "settings", id: "settings", body: settings })),
    ...LIST_NAMES.flatMap((id) =>
      lists?.[id] === undefined ? [] : read(`lists.${id}`, { kind: "lists", id, body: lists[id] }),
    ),
    ...(routes === undefined ? [] : read("routes", { kind: "routes", id: "routes", body: routes })),
    ...Object.entries(plans ?? {}).flatMap(([id, body]) =>
      read(`plans.${id}`, { kind: "plan", id, body: body ?? {} }),
    ),
    ...(rules ?? []).flatMap((body, index) => {
      const id = idOf(body);
      if (id === null) {
        errors.push({
          path: `rules.${index}.id`,
          message: `rule ${index + 1} needs an id, as text`,
        });
        return [];
      }
      return read(`rules.${id}`, { kind: "rule", id, body });
    }),
    ...Object.entries(candidates ?? {}).flatMap(([id, body]) =>
      read(`candidates.${id}`, { kind: "candidate", id, body: body ?? {} }),
    ),
  ];
  const seen = new Set<string>();
  for (const object of objects) {
    if (seen.has(objectName(object)))
      errors.push({ path: `${object.kind}s`, message: `"${object.id}" occurs twice` });
    seen.add(objectName(object));
  }
  const [first] = errors;
  if (first === undefined) return objects;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw new AppError("invalid", `${first.path}: ${first.message}${more}`, { errors });
}

function idOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("id" in body)) return null;
  return typeof body.id === "string" ? body.id : null;
}

function tagOf(draft: DraftRow | null, base: LoadedVersion): string {
  const items = (draft?.items ?? []).map(({ kind, objectId, edit }) => [kind, objectId, edit]);
  const said = JSON.stringify([base.epoch, base.version, draft?.id ?? null, items]);
  return createHash("sha256").update(said).digest("base64url").slice(0, 22);
}

function requireTag(draft: DraftRow | null, base: LoadedVersion, tag: string | undefined): void {
  if (tag === undefined || tag === tagOf(draft, base)) return;
  throw new AppError(
    "conflict",
    "your draft was changed elsewhere since you read it: read it again, then save",
    { details: { reason: "edit", tag: tagOf(draft, base) } },
  );
}
