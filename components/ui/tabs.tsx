"use client";

import { Tabs as Base } from "@base-ui/react/tabs";
import NextLink from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { cn } from "./cn";

const tabStyle = [
  "-mb-px inline-flex h-9 items-center gap-1.5 whitespace-nowrap border-b-2 border-transparent px-1 text-base",
  "font-medium text-muted no-underline hover:text-text rounded-t-xs -outline-offset-2",
].join(" ");

type TabsProps = {
  tabs: readonly { value: string; label: ReactNode; content: ReactNode }[];
  defaultValue?: string;
  value?: string;
  onValueChange?: (value: string) => void;
  "aria-label"?: string;
  className?: string;
};

export function Tabs({ tabs, value, defaultValue, onValueChange, className, ...rest }: TabsProps) {
  return (
    <Base.Root
      {...(value === undefined ? { defaultValue: defaultValue ?? tabs[0]?.value } : { value })}
      onValueChange={(next: string) => onValueChange?.(next)}
      className={className}
    >
      <Base.List aria-label={rest["aria-label"]} className="flex gap-4 overflow-x-auto border-b">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className={cn(tabStyle, "data-active:border-accent data-active:text-text")}
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-4">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

type LinkTabsProps = {
  label: string;
  tabs: readonly {
    href: string;
    label: ReactNode /** Also current on the pages below it. */;
    deep?: boolean;
  }[];
};

/** Tabs that are pages of their own: links, the current one marked. */
export function LinkTabs({ label, tabs }: LinkTabsProps) {
  const path = usePathname();
  return (
    <nav aria-label={label} className="flex gap-4 overflow-x-auto border-b">
      {tabs.map((tab) => {
        const current = path === tab.href || (tab.deep === true && path.startsWith(`${tab.href}/`));
        return (
          <NextLink
            key={tab.href}
            href={tab.href}
            aria-current={current ? "page" : undefined}
            className={cn(tabStyle, current && "border-accent text-text")}
          >
            {tab.label}
          </NextLink>
        );
      })}
    </nav>
  );
}
