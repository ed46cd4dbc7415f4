import NextLink from "next/link";
import { EnvironmentBadge } from "./environment-badge";
import { FleetSummary } from "./fleet-summary";
import { Logo } from "./logo";
import { MobileNav } from "./mobile-nav";
import type { ShellProps } from "./shell-data";
import { ThemeToggle } from "./theme-toggle";
import { UserMenu } from "./user-menu";

export function TopBar(props: Omit<ShellProps, "children" | "banners">) {
  const { environment, version, fleet, user, signOut } = props;
  const { draftChanges, openAlerts, openRequests } = props;
  const counts = { draftChanges, openAlerts, openRequests };
  return (
    <header className="sticky top-0 z-30 flex h-(--topbar-height) items-center gap-2 border-b bg-surface px-2 sm:px-3 lg:ps-4">
      <MobileNav counts={counts} version={version} fleet={fleet} />
      <NextLink href="/rules" className="flex items-center gap-2 rounded-md pe-1 lg:w-49">
        <Logo />
        <span className="text-lg font-semibold tracking-tight max-sm:sr-only">Headgate</span>
      </NextLink>
      <EnvironmentBadge environment={environment} />
      <NextLink
        href={`/versions/${version}`}
        className="rounded-md px-1.5 py-0.5 text-sm tabular-nums hover:bg-hover"
      >
        <span className="text-muted max-sm:sr-only">live </span>
        <span className="font-semibold">v{version}</span>
      </NextLink>
      <span className="flex max-md:hidden">
        <FleetSummary version={version} fleet={fleet} />
      </span>
      <div className="ms-auto flex items-center gap-0.5">
        <ThemeToggle />
        <UserMenu user={user} signOut={signOut} />
      </div>
    </header>
  );
}
