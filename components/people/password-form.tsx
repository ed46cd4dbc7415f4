"use client";

import { useState, useTransition } from "react";
import { type Action, callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field, FormError } from "@/components/ui/field";
import { formatPlural } from "@/components/ui/format";
import { Input } from "@/components/ui/input";

type PasswordFormProps = {
  change: Action<{ current: string; password: string }, { ended: number }>;
};

/** One's own password. The repetition is the browser's or the password manager's work: the text can be shown. */
export function PasswordForm({ change }: PasswordFormProps) {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [done, setDone] = useState<string>();
  const [pending, startTransition] = useTransition();

  function submit() {
    if (pending) return;
    setErrors({});
    setDone(undefined);
    startTransition(async () => {
      const result = await callAction(change, { current, password });
      if (!result.ok) {
        const fields = Object.fromEntries(
          (result.errors ?? []).map(({ path, message }) => [path, message]),
        );
        setErrors(Object.keys(fields).length > 0 ? fields : { "": result.message });
        return;
      }
      setCurrent("");
      setPassword("");
      const { ended } = result.data;
      setDone(
        ended === 0
          ? "It holds from now on."
          : `It holds from now on; ${formatPlural(ended, "other session was", "other sessions were")} ended.`,
      );
    });
  }

  return (
    <form
      className="flex max-w-88 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="Present password" error={errors.current}>
        <Input
          type="password"
          autoComplete="current-password"
          value={current}
          onValueChange={setCurrent}
        />
      </Field>
      <Field
        label="New password"
        hint="8 to 128 characters. Ends your other sessions."
        error={errors.password}
      >
        <Input
          type="password"
          autoComplete="new-password"
          value={password}
          onValueChange={setPassword}
        />
      </Field>
      <FormError>{errors[""]}</FormError>
      {done && (
        <Banner tone="success" title="Password changed">
          {done}
        </Banner>
      )}
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        disabled={current === "" || password === ""}
        pending={pending}
        pendingLabel="Changing…"
      >
        Change password
      </Button>
    </form>
  );
}
