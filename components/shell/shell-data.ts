import type { ReactNode } from "react";
import type { BannerTone } from "@/components/ui/banner";

export type ShellBanner = {
  id: string;
  tone: BannerTone;
  title: string;
  detail?: string;
  /** Where to look, such as the gateways page. */
  href?: string;
  hrefLabel?: string;
};

export type ShellData = {
  environment: string;
  user: { name: string; email: string };
  /** The live version; `null` before the first publish. */
  version: number | null;
  /** `applied`: live gateways that run `version`. */
  fleet: { live: number; applied: number; silent: number };
  draftChanges: number;
  openAlerts: number;
  banners: readonly ShellBanner[];
};

export type ShellProps = ShellData & {
  signOut: () => Promise<void>;
  children: ReactNode;
};
