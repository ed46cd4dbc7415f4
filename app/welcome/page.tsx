import type { Metadata } from "next";
import { getControl } from "@/app/_server/context";
import { WelcomeForm } from "@/components/people/welcome-form";
import { SignInFrame } from "../sign-in/sign-in-frame";
import { acceptAction, findInvitationAction } from "./actions";

export const metadata: Metadata = { title: "Welcome", robots: { index: false } };

export default function WelcomePage() {
  return (
    <SignInFrame environment={getControl().environment}>
      <WelcomeForm find={findInvitationAction} accept={acceptAction} />
    </SignInFrame>
  );
}

// What it shows depends on the process's own environment.
export const dynamic = "force-dynamic";
