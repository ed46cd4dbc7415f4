"use client";

import { useActionState } from "react";
import { SubmitButton } from "@/components/ui/button";

export type SsoState = { error?: string };

type SsoFormProps = {
  /** Sends the browser to the issuer; else gives the line to show. */
  action: (state: SsoState, form: FormData) => Promise<SsoState>;
  /** What the button says. */
  name: string;
  next: string;
  /** Why the last attempt failed. */
  error?: string | undefined;
};

export function SsoForm({ action, name, next, error }: SsoFormProps) {
  const [state, submit, pending] = useActionState(action, {});
  const shown = pending ? undefined : (state.error ?? error);
  return (
    <form action={submit} className="mt-5 flex flex-col gap-2 border-t pt-5">
      <input type="hidden" name="next" value={next} />
      {shown && (
        <p role="alert" className="text-sm text-danger">
          {shown}
        </p>
      )}
      <SubmitButton variant="secondary" size="lg" pendingLabel="Going there…">
        {name}
      </SubmitButton>
    </form>
  );
}
