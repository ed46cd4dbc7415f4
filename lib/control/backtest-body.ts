import { AppError } from "@/lib/core/errors";
import { type Rule, RuleSchema } from "@/lib/core/rule";
import { type Body, BodySchema } from "@/lib/core/ruleset";
import { type Content, withObject } from "@/lib/core/ruleset-objects";
import type { Reader } from "@/lib/db/client";
import { findDraft } from "@/lib/db/drafts";
import type { Ctx } from "./context";
import { applyEdits, editsOf } from "./draft-edits";
import { draftOwner } from "./draft-owner";
import { getLive, type LoadedVersion, loadVersion } from "./live-version";

type Asked = {
  ruleset: "live" | "draft";
  rule?: string | undefined;
  revision?: number | undefined;
  rules?: Rule[] | undefined;
};

/** The ruleset that is judged, and the version that it stands on. A rule that is asked about and off is in shadow. */
export async function backtestBody(
  ctx: Ctx,
  reader: Reader,
  asked: Asked,
): Promise<{ body: Body; base: LoadedVersion }> {
  const { base, content } = await contentOf(ctx, reader, asked);
  const put = [...(await revisionOf(reader, asked)), ...(asked.rules ?? [])];
  const rules = put.reduce<Content>(
    (so, rule) => withObject(so, { kind: "rule", id: rule.id, body: rule }),
    content,
  );
  return { body: bodyOf(rules, asked.rule ?? null), base };
}

async function contentOf(
  ctx: Ctx,
  reader: Reader,
  { ruleset }: Asked,
): Promise<{ base: LoadedVersion; content: Content }> {
  const draft = ruleset === "draft" ? await findDraft(reader, draftOwner(ctx.actor)) : null;
  const base =
    draft === null ? await getLive(reader) : await loadVersion(reader, draft.baseVersion);
  return { base, content: applyEdits(base.content, editsOf(draft)) };
}

async function revisionOf(reader: Reader, { rule, revision }: Asked): Promise<Rule[]> {
  if (rule === undefined || revision === undefined) return [];
  const row = await reader.revision.findUnique({
    where: { kind_objectId_n: { kind: "rule", objectId: rule, n: revision } },
  });
  if (row !== null) return [RuleSchema.parse(row.body)];
  const message = `rule ${rule} has no revision ${revision}`;
  throw new AppError("invalid", message, { errors: [{ path: "revision", message }] });
}

/** Revisions and slots only tell buckets apart here. */
function bodyOf(content: Content, asked: string | null): Body {
  const { settings, lists, routes, plans } = content;
  const candidates = new Map(content.candidates.map((candidate) => [candidate.id, candidate]));
  let slot = 0;
  const entryOf = (rule: Rule) => {
    slot += 1;
    return { revision: 1, slot, rule };
  };
  const live = new Set(content.rules.map(({ id }) => id));
  if (asked !== null && !live.has(asked)) {
    const message = `there is no rule ${asked} in this ruleset`;
    throw new AppError("invalid", message, { errors: [{ path: "rule", message }] });
  }
  const entries = content.rules.map((rule) => {
    const candidate = candidates.get(rule.id);
    const isAskedOff = rule.id === asked && rule.mode === "off";
    return {
      id: rule.id,
      live: entryOf(isAskedOff ? { ...rule, mode: "shadow" } : rule),
      ...(candidate !== undefined && {
        candidate: entryOf(candidate.rule),
        share: candidate.share,
      }),
    };
  });
  const alone = content.candidates
    .filter(({ id }) => !live.has(id))
    .map(({ id, rule, share }) => ({ id, candidate: entryOf(rule), share }));
  return BodySchema.parse({ settings, lists, routes, plans, rules: [...entries, ...alone] });
}
