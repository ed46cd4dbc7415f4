import type { AccessLogLine } from "./access-log";
import { ALB_HEAD, parseAlbLine } from "./access-log-alb";
import { createCombinedParser } from "./access-log-combined";
import { createJsonParser, type LogMapping } from "./access-log-json";

/** How each is told apart and what it is, in words for a help page. */
export const LOG_FORMATS = {
  combined: "Apache's and nginx's combined or common format",
  json: "a JSON object a line: nginx's, Caddy's, or others' by their field names",
  alb: "an AWS Application Load Balancer's",
} as const;

export type LogFormat = keyof typeof LOG_FORMATS;
export type LogParser = (line: string) => AccessLogLine;

/** So many lines of a log are enough for `detectLogFormat`. */
export const DETECT_LINES = 20;

/** What most of a log's first lines that are not blank look like; combined where nothing else does. */
export function detectLogFormat(lines: readonly string[]): LogFormat {
  const votes = { combined: 0, json: 0, alb: 0 };
  for (const line of lines) {
    const text = line.replace(/^\uFEFF/, "").trimStart();
    if (text === "" || text.startsWith("#")) continue;
    votes[text.startsWith("{") ? "json" : ALB_HEAD.test(text) ? "alb" : "combined"] += 1;
  }
  if (votes.json > votes.combined && votes.json >= votes.alb) return "json";
  return votes.alb > votes.combined ? "alb" : "combined";
}

/** Reads lines of one format; made once for a log, as it remembers what repeats. `mapping` is for JSON. */
export function createLogParser(format: LogFormat, mapping: LogMapping = {}): LogParser {
  switch (format) {
    case "combined":
      return createCombinedParser();
    case "json":
      return createJsonParser(mapping);
    case "alb":
      return parseAlbLine;
  }
}
