/**
 * Why a form or action may not be taken from the page that sent it; null when it may. Same origin is: the
 * console's public address, or the host that the browser (or a proxy, with X-Forwarded-Host) asked for.
 */
export function originProblem(headers: Headers, publicUrl: string): string | null {
  const origin = headers.get("origin");
  const publicOrigin = new URL(publicUrl).origin;
  if (origin === null) {
    if (headers.get("sec-fetch-site") === "same-origin") return null;
    return `refused: the request does not say which page it comes from (no Origin); the console is at ${publicOrigin}`;
  }
  if (origin === publicOrigin) return null;
  const hosts = hostsOf(headers);
  if (URL.canParse(origin) && hosts.includes(new URL(origin).host)) return null;
  return `refused: the page is at ${shownOrigin(origin)}, the console at ${publicOrigin} and asked for as ${hosts.join(", ") || "no host"}. If both are the console, set HEADGATE_PUBLIC_URL to the address in the browser`;
}

/** Neither can be set by a page of another site: a form cannot, and fetch would have to ask first. */
function hostsOf(headers: Headers): string[] {
  const forwarded = headers.get("x-forwarded-host")?.split(",")[0]?.trim();
  const hosts = [headers.get("host"), forwarded].flatMap((host) => (host ? [host] : []));
  return [...new Set(hosts)];
}

function shownOrigin(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).origin : JSON.stringify(origin.slice(0, 100));
}
