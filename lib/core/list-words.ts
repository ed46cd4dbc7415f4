/** `a`, `a and b`, `a, b and 2 more`: at most `max` items by name. */
export function listWords(items: readonly string[], max = 3): string {
  const shownItems = items.slice(0, max);
  const more = items.length - shownItems.length;
  if (more > 0) return `${shownItems.join(", ")} and ${more} more`;
  const last = shownItems.at(-1) ?? "";
  return shownItems.length < 2 ? last : `${shownItems.slice(0, -1).join(", ")} and ${last}`;
}
