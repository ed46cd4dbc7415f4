"use client";

import NextLink from "next/link";
import { usePathname } from "next/navigation";
import { cn } from "@/components/ui/cn";
import { formatCount, formatPlural } from "@/components/ui/format";
import { type NavItem, navGroups } from "./nav-items";

export type NavCounts = { draftChanges: number; openAlerts: number; openRequests: number };

type NavProps = { counts: NavCounts; onNavigate?: () => void };

export function Nav({ counts, onNavigate }: NavProps) {
  const pathname = usePathname();
  // What a list drops is counted as a rule of the product's own.
  const path = pathname.startsWith("/rules/_") ? "/lists" : pathname;
  return (
    <nav aria-label="Main" className="flex flex-col gap-4">
      {navGroups.map((group) => (
        <div key={group.label}>
          <h2 className="px-2.5 pb-1 text-xs font-medium text-muted">{group.label}</h2>
          <ul className="flex flex-col gap-px">
            {group.items.map((item) => (
              <li key={item.href}>
                <NavLink
                  item={item}
                  current={path === item.href || path.startsWith(`${item.href}/`)}
                  count={item.count ? counts[item.count.of] : 0}
                  {...(onNavigate ? { onNavigate } : {})}
                />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

type NavLinkProps = { item: NavItem; current: boolean; count: number; onNavigate?: () => void };

function NavLink({ item, current, count, onNavigate }: NavLinkProps) {
  const { Icon } = item;
  return (
    <NextLink
      href={item.href}
      aria-current={current ? "page" : undefined}
      {...(onNavigate ? { onClick: onNavigate } : {})}
      className={cn(
        "flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium pointer-coarse:h-11",
        current ? "bg-hover text-text" : "text-muted hover:bg-hover/70 hover:text-text",
      )}
    >
      <Icon aria-hidden className={cn("size-4 shrink-0", current && "text-accent")} />
      <span className="flex-1">{item.label}</span>
      {item.count && count > 0 && (
        <span
          className={cn(
            "min-w-5 rounded-full px-1.5 text-center text-xs leading-5 font-semibold tabular-nums",
            item.count.tone === "danger"
              ? "bg-danger-solid text-on-danger"
              : "bg-accent-solid text-on-accent",
          )}
        >
          <span aria-hidden>{formatCount(count)}</span>
          <span className="sr-only">{formatPlural(count, item.count.one, item.count.many)}</span>
        </span>
      )}
    </NextLink>
  );
}
