"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { openAction } from "@/app/_server/action";
import { setCookies } from "@/app/_server/session";
import { signIn } from "@/lib/control";
import { safeNext } from "./safe-next";
import type { SignInState } from "./sign-in-form";

const SignInSchema = z.object({
  email: z.string().trim().min(1, "enter your email address").max(200),
  password: z.string().min(1, "enter your password").max(200),
});

const submit = openAction(SignInSchema, async (control, { email, password }) => {
  const { cookies } = await signIn(control, { email, password, headers: await headers() });
  await setCookies(cookies);
  return null;
});

export async function signInAction(_state: SignInState, form: FormData): Promise<SignInState> {
  const email = String(form.get("email") ?? "");
  const password = String(form.get("password") ?? "");
  const result = await submit({ email, password });
  if (result.ok) redirect(safeNext(form.get("next")));
  return { email, error: result.errors[0]?.message ?? result.message };
}
