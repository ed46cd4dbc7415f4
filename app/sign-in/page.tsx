import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getControl } from "@/app/_server/context";
import { findSession } from "@/app/_server/session";
import { signInAction } from "./actions";
import { safeNext } from "./safe-next";
import { SignInForm } from "./sign-in-form";
import { SignInFrame } from "./sign-in-frame";

export const metadata: Metadata = { title: "Sign in" };

type Props = { searchParams: Promise<{ next?: string | string[] }> };

export default async function SignInPage({ searchParams }: Props) {
  const next = safeNext((await searchParams).next);
  if ((await findSession()) !== null) redirect(next);
  return (
    <SignInFrame environment={getControl().environment}>
      <SignInForm action={signInAction} next={next} />
    </SignInFrame>
  );
}
