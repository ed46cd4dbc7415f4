import type { ReactNode } from "react";
import { getLiveOnce } from "@/app/_server/live";
import { getPageCtx, requireSession } from "@/app/_server/session";
import { LiveShell } from "@/components/shell/live-shell";
import { PermissionsProvider } from "@/components/shell/permissions";
import { refusalsOf } from "@/lib/control";
import { signOutAction } from "./actions";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { user } = await requireSession();
  const ctx = await getPageCtx();
  const live = await getLiveOnce(ctx);
  const { id, name, email, role } = user;
  return (
    <PermissionsProvider refusals={refusalsOf(ctx)}>
      <LiveShell live={live} user={{ id, name, email, role }} signOut={signOutAction}>
        {children}
      </LiveShell>
    </PermissionsProvider>
  );
}
