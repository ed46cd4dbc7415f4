"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { openAction } from "@/app/_server/action";
import { setCookies } from "@/app/_server/session";
import { signIn, startSso } from "@/lib/control";
import { safeNext } from "./safe-next";
import type { SignInState } from "./sign-in-form";
import type { SsoState } from "./sso-form";

const SignInSchema = z.object({
  email: z.string().trim().min(1, "enter your email address").max(200),
  password: z.string().min(1, "enter your password").max(200),
});

const submit = openAction(SignInSchema, async (control, { email, password }) => {
  const { cookies } = await signIn(control, { email, password, headers: await headers() });
  await setCookies(cookies);
  return null;
});

const start = openAction(z.object({ next: z.string() }), async (control, { next }) => {
  const { url, cookies } = await startSso(control, { headers: await headers(), next });
  await setCookies(cookies);
  return url;
});

export async function startSsoAction(_state: SsoState, form: FormData): Promise<SsoState> {
  const result = await start({ next: safeNext(form.get("next")) });
  if (result.ok) redirect(result.data);
  return { error: result.message };
}

export async function signInAction(_state: SignInState, form: FormData): Promise<SignInState> {
  const email = String(form.get("email") ?? "");
  const password = String(form.get("password") ?? "");
  const result = await submit({ email, password });
  if (result.ok) redirect(safeNext(form.get("next")));
  return { email, error: result.errors[0]?.message ?? result.message };
}
