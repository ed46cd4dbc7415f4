import { z } from "zod";
import { AppError, type FieldError } from "../core/errors";
import { fieldErrors } from "../core/parse";
import { variables } from "./variables";

export type Environment = Record<string, string | undefined>;

/** One error for all that is wrong. An empty value counts as not set, as in `NAME=` of an .env file. */
export function read<S extends z.ZodRawShape>(
  shape: S,
  env: Environment,
  problems: FieldError[] = [],
) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = z.object(shape).safeParse(set);
  const errors = [...(result.success ? [] : fieldErrors(result.error)), ...problems];
  if (result.success && errors.length === 0) return result.data;
  const count =
    errors.length === 1 ? "1 variable is wrong" : `${errors.length} variables are wrong`;
  const lines = errors.map(({ path, message }) => `  ${path} ${message}`);
  throw new AppError("invalid", `${count}:\n${lines.join("\n")}`, { errors });
}

/** `HEADGATE_…` names that mean nothing, probably misspelt. */
export function unknownVariables(env: Environment): string[] {
  const known = new Set([
    ...Object.keys(variables),
    "HEADGATE_GATEWAY_URLS",
    "HEADGATE_UPSTREAM_PORT",
  ]);
  return Object.keys(env).filter((name) => name.startsWith("HEADGATE_") && !known.has(name));
}
