import { z } from "zod";
import type { TokenScope } from "@/lib/core/access";
import { shown } from "@/lib/core/parse";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** One row of the API: what the documentation says of it and what its handler is held to. */
export type Operation = {
  summary: string;
  description?: string;
  tag:
    | "Rules"
    | "Draft"
    | "Approval"
    | "Versions"
    | "Fleet"
    | "Keys"
    | "Overrides"
    | "Clients"
    | "Backtests"
    | "Log"
    | "People"
    | "System";
  /** Of the token that it takes, as the verb behind it says; `admin` may do all. A console session may only read. */
  scope: "none" | Exclude<TokenScope, "admin">;
  params?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  /** A body that may be left out. */
  isBodyOptional?: boolean;
  /** Largest body in bytes, where 1 MiB is not enough. */
  maxBytes?: number;
  /** Status of success. */
  status: 200 | 201;
  /** Members of the answer that are told once: a replay for the same Idempotency-Key comes without them. */
  secrets?: readonly string[];
  /** JSON of 202: it waits for a second person. */
  accepted?: z.ZodType;
  /** JSON of success; absent where `media` says what comes instead. */
  answer?: z.ZodType;
  media?: { type: string; description: string };
  /** With `Accept: text/event-stream` the same JSON as events; in words what they are. */
  events?: string;
  /** Also answered with the same JSON. */
  alsoStatus?: { status: 503; description: string };
  /** 409 with more than the usual members. */
  conflict?: { description: string; schema?: z.ZodType };
  isNotFoundPossible?: boolean;
  /** Takes If-Match and `If-None-Match: *`, and answers 412. */
  hasPrecondition?: boolean;
};

export type PathTable = Record<string, Partial<Record<Method, Operation>>>;

export const idParams = z.object({ id: z.string() });

const NUMBER = /^\d{1,9}$/;

/** A version's number in the path. */
export function versionParam(name: string) {
  return z
    .string()
    .regex(NUMBER, {
      error: (issue) => `${name} must be the number of a version, got ${shown(issue.input)}`,
    })
    .transform(Number);
}
