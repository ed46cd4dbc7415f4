import { ChevronLeft, ChevronRight } from "lucide-react";
import NextLink from "next/link";
import type { ReactNode } from "react";
import { shownText } from "./user-text";

export type Crumb = { href: string; label: string };

type PageHeaderProps = {
  title: ReactNode;
  description?: ReactNode;
  /** Pages above this one, outermost first. */
  breadcrumbs?: readonly Crumb[];
  /** Beside the title: badges, a mode. */
  badges?: ReactNode;
  actions?: ReactNode;
};

export function PageHeader({
  title,
  description,
  breadcrumbs = [],
  badges,
  actions,
}: PageHeaderProps) {
  return (
    <header className="mb-4">
      {breadcrumbs.length > 0 && (
        <nav aria-label="Breadcrumb" className="mb-1">
          <ol className="flex flex-wrap items-center gap-1 text-sm text-muted">
            {breadcrumbs.map((crumb, i) => (
              <li key={crumb.href} className="flex min-w-0 items-center gap-1">
                {i === 0 ? (
                  <ChevronLeft aria-hidden className="size-3.5 shrink-0 rtl:-scale-x-100" />
                ) : (
                  <ChevronRight aria-hidden className="size-3.5 shrink-0 rtl:-scale-x-100" />
                )}
                <NextLink
                  href={crumb.href}
                  className="max-w-64 truncate rounded-xs hover:text-text hover:underline"
                >
                  <bdi>{crumb.label}</bdi>
                </NextLink>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 break-words text-xl font-semibold tracking-tight">
              <bdi>{typeof title === "string" ? shownText(title) : title}</bdi>
            </h1>
            {badges && <div className="flex flex-wrap items-center gap-1.5">{badges}</div>}
          </div>
          {description && <div className="mt-0.5 max-w-prose text-muted">{description}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  );
}
