import { notFound } from "next/navigation";
import { AppError } from "@/lib/core/errors";

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** Non-empty texts of an address; of a repeated key the first counts. */
export async function searchTexts<Key extends string>(
  searchParams: SearchParams,
  keys: readonly Key[],
): Promise<Partial<Record<Key, string>>> {
  const given = await searchParams;
  const texts: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const value = given[key];
    const text = Array.isArray(value) ? value[0] : value;
    if (text !== undefined && text !== "") texts[key] = text;
  }
  return texts;
}

/** A whole number of an address, else undefined. */
export function numberText(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

export type Asked<T> = { data: T; problem?: undefined } | { data?: undefined; problem: string };

/** What a verb says of an address that somebody typed: a sentence for the page, a 404 for what is not there. */
export async function askFor<T>(read: Promise<T>): Promise<Asked<T>> {
  try {
    return { data: await read };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "not_found") notFound();
    if (error.code === "invalid" || error.code === "forbidden") return { problem: error.message };
    throw error;
  }
}
