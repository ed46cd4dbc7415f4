import { z } from "zod";

/** What a gateway counted, from its admin port's `/metrics`. */
export type GatewayCounts = {
  requests: number;
  /** Hits per `rule` and mode, key = rule NUL mode. */
  rejections: Map<string, number>;
};

export type RuleHits = { rule: string; mode: string; hits: number };

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const LabelsSchema = z.object({ rule: z.string().min(1), mode: z.enum(["shadow", "enforce"]) });

/** Reads `headgate_requests_total` (summed over its labels) and `headgate_rejections_total{rule,mode}`. */
export function parseCounts(text: string): GatewayCounts {
  const counts: GatewayCounts = { requests: 0, rejections: new Map() };
  for (const line of text.split("\n")) {
    const parts = LINE.exec(line.trim());
    if (parts === null) continue;
    const [, name, labelText = "", valueText] = parts;
    const value = Number(valueText);
    if (!Number.isFinite(value)) continue;
    if (name === "headgate_requests_total") counts.requests += value;
    if (name !== "headgate_rejections_total") continue;
    const labels = LabelsSchema.safeParse(labelsOf(labelText));
    if (!labels.success) continue;
    const key = `${labels.data.rule}\0${labels.data.mode}`;
    counts.rejections.set(key, (counts.rejections.get(key) ?? 0) + value);
  }
  return counts;
}

/** What was added in between. A counter that fell was restarted with its gateway: then all of it is new. */
export function countsBetween(before: GatewayCounts, after: GatewayCounts): GatewayCounts {
  const added = (a: number, b: number) => (b < a ? b : b - a);
  const rejections = new Map<string, number>();
  for (const [key, value] of after.rejections) {
    const hits = added(before.rejections.get(key) ?? 0, value);
    if (hits > 0) rejections.set(key, hits);
  }
  return { requests: added(before.requests, after.requests), rejections };
}

export function sumCounts(all: readonly GatewayCounts[]): { requests: number; rules: RuleHits[] } {
  const sum = new Map<string, number>();
  for (const { rejections } of all) {
    for (const [key, hits] of rejections) sum.set(key, (sum.get(key) ?? 0) + hits);
  }
  const rules = [...sum].map(([key, hits]) => {
    const [rule = "", mode = ""] = key.split("\0");
    return { rule, mode, hits };
  });
  rules.sort((a, b) => b.hits - a.hits || a.rule.localeCompare(b.rule));
  return { requests: all.reduce((total, { requests }) => total + requests, 0), rules };
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(LABEL)) {
    labels[name] = value.replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c));
  }
  return labels;
}
