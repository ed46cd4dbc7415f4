import { z } from "zod";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { clientAddress } from "./client-address";
import type { Control } from "./context";
import { getSession } from "./get-session";
import { requireOwnOrigin } from "./origins";
import type { Session } from "./session";
import { parseSetCookies, type SetCookie } from "./set-cookie";
import { recordRefusedSignIn } from "./sign-in-audit";
import { countByAccount, countByAddress } from "./sign-in-limits";

const CredentialsSchema = z.strictObject({
  email: z.string().trim().toLowerCase().min(1, { error: "email must not be empty" }).max(200),
  password: z.string().min(1, { error: "password must not be empty" }).max(200),
});

type SignIn = { email: string; password: string; headers: Headers };

/** Checks email and password and opens a session; the caller sets the cookies. Throws `unauthenticated`. */
export async function signIn(
  control: Control,
  { headers, ...input }: SignIn,
): Promise<{ session: Session; cookies: SetCookie[] }> {
  requireOwnOrigin(headers, control.config.publicUrl);
  const { email, password } = parseInput(CredentialsSchema, input, "the sign-in");
  const address = clientAddress(headers);
  const user = await control.db.user.findUnique({
    where: { email },
    select: { id: true, email: true, banned: true },
  });
  const refuse = (why: string) =>
    recordRefusedSignIn(control, {
      account: user?.email ?? "an account that does not exist",
      userId: user?.id,
      address,
      way: "password",
      why,
    });
  const ofAddress = await countByAddress(control, address);
  const ofAccount = ofAddress.ok
    ? await countByAccount(control, { email, userId: user?.id ?? null, address })
    : ofAddress;
  if (!ofAccount.ok) {
    if (ofAccount.isFirst) await refuse("there were too many attempts within a minute");
    throw ofAccount.error;
  }
  const auth = await control.auth();
  const response = await auth.handler(signInRequest(control, headers, { email, password }));
  if (response.status >= 500)
    throw new AppError("unavailable", "signing in does not work at the moment: try again");
  const cookies = response.ok ? parseSetCookies(response.headers) : [];
  const session = response.ok
    ? await getSession(control, { headers: new Headers({ cookie: cookieHeader(cookies) }) })
    : null;
  if (session === null) {
    control.log.warn({ status: response.status }, "sign-in refused");
    await refuse(user?.banned ? "the account is disabled" : "the password is wrong");
    throw new AppError("unauthenticated", "email or password is wrong");
  }
  await ofAccount.forget();
  control.log.info({ user: session.user.id }, "signed in");
  return { session, cookies };
}

/** Through better-auth's door for HTTP. Our own origin: it was checked above. */
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
