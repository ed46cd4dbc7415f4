import type { ReactNode } from "react";
import { getLiveOnce } from "@/app/_server/live";
import { getPageCtx, requireSession } from "@/app/_server/session";
import { LiveShell } from "@/components/shell/live-shell";
import { signOutAction } from "./actions";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { user } = await requireSession();
  const live = await getLiveOnce(await getPageCtx());
  const { id, name, email } = user;
  return (
    <LiveShell live={live} user={{ id, name, email }} signOut={signOutAction}>
      {children}
    </LiveShell>
  );
}
