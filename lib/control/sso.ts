import { z } from "zod";
import { AppError } from "@/lib/core/errors";
import { clientAddress } from "./client-address";
import type { Control } from "./context";
import { SSO_PROVIDER } from "./oidc-settings";
import { requireOwnOrigin } from "./origins";
import { parseSetCookies, type SetCookie } from "./set-cookie";
import { recordRefusedSignIn } from "./sign-in-audit";
import { countByAddress } from "./sign-in-limits";
import { SSO_REFUSALS } from "./sso-person";

const StartedSchema = z.object({ url: z.url() });
const RefusedSchema = z.object({ code: z.enum(SSO_REFUSALS) });

/** What the button says; null where no issuer is configured. */
export function ssoName({ config }: Pick<Control, "config">): string | null {
  return config.oidc?.name ?? null;
}

type Start = {
  headers: Headers;
  /** A path of this console. */
  next: string;
};

/** Where to send the browser, and the cookies by which its way back is known again. */
export async function startSso(
  control: Control,
  { headers, next }: Start,
): Promise<{ url: string; cookies: SetCookie[] }> {
  requireOwnOrigin(headers, control.config.publicUrl);
  const counted = await countByAddress(control, clientAddress(headers));
  if (!counted.ok) {
    if (counted.isFirst)
      await refuse(control, headers, "there were too many attempts within a minute");
    throw counted.error;
  }
  const auth = await control.sso();
  const { origin } = new URL(control.config.publicUrl ?? "http://localhost");
  const response = await auth.handler(
    new Request(`${origin}/api/auth/sign-in/social`, {
      method: "POST",
      headers: passed(headers, { "content-type": "application/json", origin }),
      body: JSON.stringify({
        provider: SSO_PROVIDER,
        callbackURL: `${origin}${next}`,
        errorCallbackURL: `${origin}/sign-in`,
        disableRedirect: true,
      }),
    }),
  );
  const started = StartedSchema.safeParse(await response.json().catch(() => null));
  if (!response.ok || !started.success) throw unreachable(control);
  return { url: started.data.url, cookies: parseSetCookies(response.headers) };
}

/**
 * The issuer sent the browser back: opens the session and sends it on, or back to the sign-in with `error`. State,
 * nonce, PKCE, issuer and signature are better-auth's to check; who may come in is `admitBySso`'s.
 */
export async function finishSso(
  control: Control,
  { headers, search }: { headers: Headers; search: string },
): Promise<Response> {
  const { origin } = new URL(control.config.publicUrl ?? "http://localhost");
  const auth = await control.sso();
  const response = await auth.handler(
    new Request(`${origin}/api/auth/callback/${SSO_PROVIDER}${search}`, {
      headers: passed(headers, {}),
    }),
  );
  const isRedirect = response.status >= 300 && response.status < 400;
  const location = response.headers.get("location");
  if (isRedirect && location !== null) {
    const error = new URL(location, origin).searchParams.get("error");
    if (error === null) control.log.info("signed in by single sign-on");
    else {
      control.log.warn({ error }, "single sign-on refused");
      await refuse(control, headers, REFUSAL_WORDS.failed);
    }
    return response;
  }
  const refused = RefusedSchema.safeParse(await response.json().catch(() => null));
  const error = refused.success ? refused.data.code : "failed";
  control.log.warn({ error, status: response.status }, "single sign-on refused");
  await refuse(control, headers, REFUSAL_WORDS[error]);
  const to = new URL(`${origin}/sign-in`);
  to.searchParams.set("error", error);
  return new Response(null, { status: 302, headers: { location: to.href } });
}

const REFUSAL_WORDS = {
  email_not_verified: "the issuer has not verified the email address",
  no_role: "the issuer gives no role here",
  disabled: "the account is disabled",
  failed: "the issuer's answer was not what it should be",
} as const;

/** Whose account it would have been is not known for certain. */
function refuse(control: Control, headers: Headers, why: string): Promise<void> {
  const address = clientAddress(headers);
  return recordRefusedSignIn(control, { account: null, address, way: "single sign-on", why });
}

export function unreachable({ config }: Pick<Control, "config">): AppError {
  return new AppError(
    "unavailable",
    `single sign-on does not work at the moment: ${config.oidc?.issuer ?? "its server"} does not answer as it should`,
  );
}

function passed(headers: Headers, more: Record<string, string>): Headers {
  const kept = new Headers(more);
  for (const name of ["cookie", "x-forwarded-for", "user-agent"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}
