/** A text for LIKE, of which `%` and `_` stand for themselves: Prisma's `startsWith` and `contains` leave that to the caller. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
