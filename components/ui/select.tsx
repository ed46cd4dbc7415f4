"use client";

import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { cn } from "./cn";
import { controlStyle, itemStyle, popupStyle } from "./control-style";

export type Option<Value extends string = string> = {
  value: Value;
  label: string;
  /** Second line in the list. */
  hint?: ReactNode;
  icon?: ReactNode;
  disabled?: boolean;
};

type SelectProps<Value extends string> = {
  options: readonly Option<Value>[];
  value?: Value | null;
  defaultValue?: Value;
  onValueChange?: (value: Value) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLButtonElement>;
  name?: string;
  id?: string;
  placeholder?: string;
  disabled?: boolean;
  required?: boolean;
  "aria-label"?: string;
  className?: string;
};

export function Select<Value extends string>(props: SelectProps<Value>) {
  const {
    options,
    onValueChange,
    placeholder,
    className,
    ref,
    onBlur,
    id,
    "aria-label": label,
    ...root
  } = props;
  return (
    <Base.Root
      items={options}
      {...root}
      onValueChange={(value) => {
        if (value !== null) onValueChange?.(value);
      }}
    >
      <Base.Trigger
        ref={ref}
        id={id}
        aria-label={label}
        onBlur={onBlur}
        className={cn(
          controlStyle,
          "flex items-center justify-between gap-2 text-start hover:bg-hover data-popup-open:bg-hover",
          className,
        )}
      >
        <Base.Value
          className="truncate data-placeholder:text-muted"
          placeholder={placeholder ?? "Choose"}
        />
        <Base.Icon>
          <ChevronsUpDown aria-hidden className="size-3.5 text-muted" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
          <Base.Popup
            className={cn(popupStyle, "min-w-(--anchor-width) max-w-(--available-width)")}
          >
            <Base.List className="max-h-[min(22rem,var(--available-height))] overflow-y-auto p-1">
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={option.disabled ?? false}
                  className={cn(itemStyle, "grid grid-cols-[1rem_1fr] items-start gap-x-2")}
                >
                  <Base.ItemIndicator className="col-start-1 pt-1">
                    <Check aria-hidden className="size-3.5" />
                  </Base.ItemIndicator>
                  <Base.ItemText className="col-start-2 flex items-center gap-1.5 [&>svg]:size-3.5">
                    {option.icon}
                    <bdi>{option.label}</bdi>
                  </Base.ItemText>
                  {option.hint && (
                    <span className="col-start-2 text-sm text-muted">{option.hint}</span>
                  )}
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
