import type { ReactNode } from "react";
import type { Overview } from "@/lib/core/api/overview";

/** What the frame shows; an `Overview` and the signed-in user fit as they are. */
export type ShellData = Pick<
  Overview,
  "environment" | "version" | "fleet" | "draftChanges" | "openAlerts" | "openRequests" | "banners"
> & { user: { name: string; email: string; role: string } };

export type ShellProps = ShellData & {
  /** Ends the session and redirects. */
  signOut: () => Promise<void>;
  children: ReactNode;
};
