import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getControl } from "@/app/_server/context";
import { findSession } from "@/app/_server/session";
import { ssoName } from "@/lib/control";
import { signInAction, startSsoAction } from "./actions";
import { safeNext } from "./safe-next";
import { SignInForm } from "./sign-in-form";
import { SignInFrame } from "./sign-in-frame";
import { SsoForm } from "./sso-form";
import { ssoWords } from "./sso-words";

export const metadata: Metadata = { title: "Sign in" };

type Text = string | string[];
type Props = { searchParams: Promise<{ next?: Text; error?: Text }> };

export default async function SignInPage({ searchParams }: Props) {
  const { next: asked, error } = await searchParams;
  const next = safeNext(asked);
  const control = getControl();
  const sso = ssoName(control);
  if ((await findSession()) !== null) redirect(next);
  return (
    <SignInFrame environment={control.environment}>
      <SignInForm action={signInAction} next={next} />
      {sso !== null && (
        <SsoForm action={startSsoAction} name={sso} next={next} error={ssoWords(error)} />
      )}
    </SignInFrame>
  );
}
