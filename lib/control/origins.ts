import { AppError } from "@/lib/core/errors";
import { shown } from "@/lib/core/parse";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Where the console's own pages come from. On this machine all names of it are one. */
export function ownOrigins(publicUrl: string): string[] {
  const url = new URL(publicUrl);
  if (!LOOPBACK.includes(url.hostname)) return [url.origin];
  const port = url.port === "" ? "" : `:${url.port}`;
  return LOOPBACK.map((host) => `${url.protocol}//${host}${port}`);
}

/**
 * Refuses a form that another site sent: its origin is neither the public address nor the host that was asked for
 * (behind a proxy X-Forwarded-Host), and a page can set neither header. Browsers name the origin of every POST, so
 * one without it comes from a program, which has no cookie to abuse.
 */
export function requireOwnOrigin(headers: Headers, publicUrl = "http://localhost"): void {
  const origin = headers.get("origin");
  if (origin === null) return;
  const allowed = ownOrigins(publicUrl);
  if (allowed.includes(origin) || isHostAskedFor(origin, headers)) return;
  throw new AppError(
    "forbidden",
    `a form of ${shown(origin)} is refused: this console is at ${allowed[0]} (HEADGATE_PUBLIC_URL)`,
  );
}

function isHostAskedFor(origin: string, headers: Headers): boolean {
  if (!URL.canParse(origin)) return false;
  const forwarded = headers.get("x-forwarded-host")?.split(",")[0]?.trim();
  return [headers.get("host"), forwarded].includes(new URL(origin).host);
}
