import type { Actor } from "./context";

/** Whose draft: `user:<id>`, `token:<id>`. */
export function draftOwner({ type, id }: Actor): string {
  return `${type}:${id}`;
}
