import { z } from "zod";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { countAttempt, forgetAttempts } from "@/lib/db/attempts";
import type { Control } from "./context";
import { getSession } from "./get-session";
import { requireOwnOrigin } from "./origins";
import type { Session } from "./session";
import { parseSetCookies, type SetCookie } from "./set-cookie";

const CredentialsSchema = z.strictObject({
  email: z.string().trim().toLowerCase().min(1, { error: "email must not be empty" }).max(200),
  password: z.string().min(1, { error: "password must not be empty" }).max(200),
});

export const WINDOW_MS = 60_000;
/** Wrong passwords for one address in a minute; better-auth counts by IP address beside it. */
export const ATTEMPTS_MAX = 10;

type SignIn = { email: string; password: string; headers: Headers };

/** Checks email and password and opens a session; the caller sets the cookies. Throws `unauthenticated`. */
export async function signIn(
  control: Control,
  { headers, ...input }: SignIn,
): Promise<{ session: Session; cookies: SetCookie[] }> {
  requireOwnOrigin(headers, control.config.publicUrl);
  const credentials = parseInput(CredentialsSchema, input, "the sign-in");
  const key = `sign-in ${credentials.email}`;
  const nowMs = control.clock.nowMs();
  const { count, endsMs } = await countAttempt(control.db, { key, windowMs: WINDOW_MS, nowMs });
  if (count > ATTEMPTS_MAX) throw tooMany((endsMs - nowMs) / 1000);
  const auth = await control.auth();
  const response = await auth.handler(signInRequest(control, headers, credentials));
  if (response.status === 429) throw tooMany(Number(response.headers.get("x-retry-after") ?? 60));
  if (response.status >= 500)
    throw new AppError("unavailable", "signing in does not work at the moment: try again");
  const cookies = response.ok ? parseSetCookies(response.headers) : [];
  const session = response.ok
    ? await getSession(control, { headers: new Headers({ cookie: cookieHeader(cookies) }) })
    : null;
  if (session === null) {
    control.log.warn({ status: response.status }, "sign-in refused");
    throw new AppError("unauthenticated", "email or password is wrong");
  }
  await forgetAttempts(control.db, key);
  control.log.info({ user: session.user.id }, "signed in");
  return { session, cookies };
}

/** Through better-auth's door for HTTP, which counts attempts by address. Our own origin: it was checked above. */
function signInRequest({ config }: Control, headers: Headers, body: unknown): Request {
  const { origin } = new URL(config.publicUrl ?? "http://localhost");
  const passed = new Headers({ "content-type": "application/json", origin });
  for (const name of ["x-forwarded-for", "user-agent"]) {
    const value = headers.get(name);
    if (value !== null) passed.set(name, value);
  }
  return new Request(`${origin}/api/auth/sign-in/email`, {
    method: "POST",
    headers: passed,
    body: JSON.stringify(body),
  });
}

function cookieHeader(cookies: readonly SetCookie[]): string {
  return cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join("; ");
}

export function tooMany(seconds: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds));
  return new AppError(
    "unavailable",
    `too many sign-in attempts: try again in ${retryAfterSeconds} s`,
    { details: { retryAfterSeconds } },
  );
}
