const WORDS: Record<string, string> = {
  disabled: "Your account here is disabled. Ask an admin.",
  email_not_verified:
    "Your address is not verified where you signed in, so it opens no account here.",
  no_role: "None of your groups has a role here. Ask an admin.",
  access_denied: "The sign-on was cancelled.",
};

/** Why single sign-on did not let somebody in, from the code in the address; undefined for no code. */
export function ssoWords(code: unknown): string | undefined {
  if (code === undefined) return undefined;
  const known = typeof code === "string" && Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return known ?? "Single sign-on did not work. Try again; the console's log says more.";
}
