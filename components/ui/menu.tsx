"use client";

import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import NextLink from "next/link";
import type { ReactElement, ReactNode } from "react";
import { cn } from "./cn";
import { itemStyle, popupStyle } from "./control-style";

type MenuProps = {
  /** A Button with an accessible name. */
  trigger: ReactElement;
  children: ReactNode;
  align?: "start" | "end";
};

const rowStyle = cn(itemStyle, "flex items-center gap-2 [&>svg]:size-4 [&>svg]:text-muted");

export function Menu({ trigger, children, align = "end" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50 outline-none">
          <Base.Popup
            className={cn(popupStyle, "max-h-(--available-height) min-w-44 overflow-y-auto p-1")}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

type MenuItemProps = {
  children: ReactNode;
  onSelect?: () => void;
  tone?: "plain" | "danger";
  disabled?: boolean;
  /** Why the reader may not choose it. */
  refused?: string | undefined;
};

export function MenuItem(props: MenuItemProps) {
  const { children, onSelect, tone = "plain", disabled = false, refused } = props;
  return (
    <Base.Item
      disabled={disabled || refused !== undefined}
      title={refused}
      onClick={() => onSelect?.()}
      className={cn(rowStyle, tone === "danger" && "text-danger [&>svg]:text-danger")}
    >
      {children}
    </Base.Item>
  );
}

export function MenuLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Base.LinkItem render={<NextLink href={href} />} className={rowStyle} closeOnClick>
      {children}
    </Base.LinkItem>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="-mx-1 my-1 h-px bg-border" />;
}

type MenuRadioGroupProps<Value extends string> = {
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  options: readonly { value: Value; label: string; icon?: ReactNode }[];
};

export function MenuRadioGroup<Value extends string>(props: MenuRadioGroupProps<Value>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2 py-1 text-xs text-muted">{props.label}</Base.GroupLabel>
      <Base.RadioGroup
        value={props.value}
        onValueChange={(value: Value) => props.onValueChange(value)}
      >
        {props.options.map((option) => (
          <Base.RadioItem key={option.value} value={option.value} className={rowStyle} closeOnClick>
            {option.icon}
            <span className="flex-1">{option.label}</span>
            <Base.RadioItemIndicator>
              <Check aria-hidden className="size-3.5" />
            </Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}
