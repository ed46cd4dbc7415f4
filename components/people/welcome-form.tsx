"use client";

import { useEffect, useState, useTransition } from "react";
import { type Action, callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { TextLink } from "@/components/ui/link";
import { Skeleton } from "@/components/ui/skeleton";
import type { InvitationRow } from "@/lib/core/api/people";

type WelcomeFormProps = {
  find: Action<{ token: string }, InvitationRow>;
  /** Redirects on success. */
  accept: Action<{ token: string; name?: string; password: string }, never>;
};

type Found = { token: string; row: InvitationRow } | { problem: string };

/** The link's secret stands behind `#`, which only this page's script can read. */
export function WelcomeForm({ find, accept }: WelcomeFormProps) {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    const token = window.location.hash.slice(1);
    let isCurrent = true;
    const look = async (): Promise<Found> => {
      if (token === "") return { problem: "the link is not complete: copy all of it" };
      const result = await callAction(find, { token });
      return result.ok ? { token, row: result.data } : { problem: result.message };
    };
    void look().then((next) => {
      if (isCurrent) setFound(next);
    });
    return () => {
      isCurrent = false;
    };
  }, [find]);

  if (found === undefined) return <Skeleton className="h-48" />;
  if ("problem" in found)
    return (
      <div className="flex flex-col gap-3">
        <Banner tone="danger" title={found.problem} />
        <TextLink href="/sign-in">To the sign-in</TextLink>
      </div>
    );
  return <Form {...found} accept={accept} />;
}

type FormProps = { token: string; row: InvitationRow } & Pick<WelcomeFormProps, "accept">;

function Form({ token, row, accept }: FormProps) {
  const isInvite = row.kind === "invite";
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (pending) return;
        setError(undefined);
        startTransition(async () => {
          const named = isInvite ? { name } : {};
          const result = await callAction(accept, { token, password, ...named });
          // Undefined while the browser goes on to the console.
          if (result?.ok === false) setError(result.errors?.[0]?.message ?? result.message);
        });
      }}
    >
      <p>
        {isInvite ? (
          <>
            <bdi>{row.createdBy}</bdi> invited you as <strong>{row.role}</strong>.
          </>
        ) : (
          "Set a new password. Your sessions elsewhere end."
        )}
      </p>
      {/* Read by password managers, so that they keep the right account. */}
      <Field label="Email">
        <Input type="email" autoComplete="username" readOnly value={row.email} />
      </Field>
      {isInvite && (
        <Field label="Your name" hint="Others see it at what you change.">
          <Input autoComplete="name" maxLength={120} value={name} onValueChange={setName} />
        </Field>
      )}
      <Field label="Password" hint="8 to 128 characters.">
        <Input
          type="password"
          autoComplete="new-password"
          value={password}
          onValueChange={setPassword}
        />
      </Field>
      <FormError>{error}</FormError>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        disabled={password === "" || (isInvite && name.trim() === "")}
        pending={pending}
        pendingLabel="Signing in…"
      >
        {isInvite ? "Join" : "Set password"}
      </Button>
    </form>
  );
}
