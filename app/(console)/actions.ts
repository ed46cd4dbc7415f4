"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { getControl } from "@/app/_server/context";
import { setCookies } from "@/app/_server/session";
import { signOut } from "@/lib/control";

/** Ends the session. */
export async function signOutAction(): Promise<void> {
  const { cookies } = await signOut(getControl(), { headers: await headers() });
  await setCookies(cookies);
  redirect("/sign-in");
}
