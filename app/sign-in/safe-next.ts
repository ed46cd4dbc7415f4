/** A path of this console to go on to after the sign-in; anything else, such as `//evil.example`, is not followed. */
export function safeNext(next: unknown): string {
  if (typeof next !== "string" || !next.startsWith("/")) return "/rules";
  const base = "http://console.invalid";
  if (!URL.canParse(next, base)) return "/rules";
  const url = new URL(next, base);
  if (url.origin !== base || url.pathname.startsWith("/sign-in")) return "/rules";
  return `${url.pathname}${url.search}`;
}
