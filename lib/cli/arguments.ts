import { UsageError, type Values } from "./command";

export function textOption(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** An option that may be repeated, or hold several values separated by commas. */
export function listOption(values: Values, name: string): string[] {
  const given = values[name];
  const texts = (Array.isArray(given) ? given : [given]).filter((text) => typeof text === "string");
  return texts
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

export function numberOption(
  values: Values,
  name: string,
  { min, max, isWhole = false }: { min: number; max: number; isWhole?: boolean },
): number | undefined {
  const text = textOption(values, name);
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const what = isWhole ? "a whole number" : "a number";
  throw new UsageError(`--${name} must be ${what} ${min}..${max}, got ${JSON.stringify(text)}`);
}

/** An http address without path, query and credentials: `http://127.0.0.1:8081`. */
export function originOf(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isBare =
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    url.pathname === "/" &&
    url.search === "" &&
    url.hash === "" &&
    url.username === "" &&
    url.password === "";
  if (url !== null && isBare) return url;
  throw new UsageError(
    `--${name} must be an address such as http://127.0.0.1:8081, without path and password, got ${JSON.stringify(text)}`,
  );
}
