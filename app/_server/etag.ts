/** Whether If-None-Match lets the answer through: weak tags count as equal, as RFC 9110 has it for GET. */
export function isNoneMatch(header: string | null, etag: string): boolean {
  if (header === null) return true;
  if (header.trim() === "*") return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, "");
  return !header.split(",").some((tag) => bare(tag) === bare(etag));
}
