"use client";

import { useActionState } from "react";
import { SubmitButton } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

export type SignInState = { email: string; error?: string };

type SignInFormProps = {
  /** Redirects on success; else gives the line to show, and the address typed. */
  action: (state: SignInState, form: FormData) => Promise<SignInState>;
  /** Where to go afterwards. */
  next?: string;
};

export function SignInForm({ action, next }: SignInFormProps) {
  const [state, submit, pending] = useActionState(action, { email: "" });
  return (
    <form action={submit} className="flex flex-col gap-4">
      {next && <input type="hidden" name="next" value={next} />}
      <Field label="Email" name="email">
        <Input
          key={state.email}
          type="email"
          autoComplete="username"
          required
          autoFocus
          defaultValue={state.email}
        />
      </Field>
      <Field label="Password" name="password">
        <Input type="password" autoComplete="current-password" required />
      </Field>
      {/* The line keeps its place while empty, so that an error moves nothing. */}
      <p role="alert" className="min-h-5 text-sm text-danger">
        {pending ? "" : state.error}
      </p>
      <SubmitButton size="lg" className="-mt-2" pendingLabel="Signing in…">
        Sign in
      </SubmitButton>
    </form>
  );
}
