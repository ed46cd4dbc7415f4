"use client";

import { Combobox as Base } from "@base-ui/react/combobox";
import { Check, ChevronsUpDown, X } from "lucide-react";
import { useMemo } from "react";
import { cn } from "./cn";
import { controlStyle, itemStyle, popupStyle } from "./control-style";
import type { Option } from "./select";

type ComboboxProps<Value extends string> = {
  options: readonly Option<Value>[];
  value: Value | null;
  onValueChange: (value: Value | null) => void;
  id?: string;
  name?: string;
  placeholder?: string;
  /** Whoever searches elsewhere gives options to each text, all of which are shown. */
  onSearch?: (text: string) => void;
  /** Said when nothing matches what was typed. */
  emptyText?: string;
  disabled?: boolean;
  "aria-label"?: string;
  className?: string;
};

export function Combobox<Value extends string>(props: ComboboxProps<Value>) {
  const {
    options,
    value,
    onValueChange,
    onSearch,
    id,
    placeholder,
    emptyText,
    className,
    ...rest
  } = props;
  const { "aria-label": label, ...root } = rest;
  const selected = useMemo(
    () => options.find((option) => option.value === value) ?? null,
    [options, value],
  );
  return (
    <Base.Root
      items={options}
      value={selected}
      onValueChange={(option: Option<Value> | null) => onValueChange(option?.value ?? null)}
      {...(onSearch === undefined ? {} : { filter: null, onInputValueChange: onSearch })}
      {...root}
    >
      <Base.InputGroup className={cn("relative", className)}>
        <Base.Input
          id={id}
          aria-label={label}
          placeholder={placeholder ?? "Type to search"}
          dir="auto"
          className={cn(controlStyle, "pe-14")}
        />
        <span className="absolute inset-y-0 end-1 flex items-center text-muted">
          <Base.Clear
            aria-label="Clear"
            className="flex size-6 items-center justify-center rounded hover:text-text"
          >
            <X aria-hidden className="size-3.5" />
          </Base.Clear>
          <Base.Trigger
            aria-label="Show all"
            aria-labelledby={undefined}
            className="flex size-6 items-center justify-center rounded hover:text-text"
          >
            <ChevronsUpDown aria-hidden className="size-3.5" />
          </Base.Trigger>
        </span>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50 outline-none">
          <Base.Popup className={cn(popupStyle, "w-(--anchor-width) max-w-(--available-width)")}>
            <Base.Empty>
              <div className="p-3 text-sm text-muted">{emptyText ?? "Nothing matches."}</div>
            </Base.Empty>
            <Base.List className="max-h-[min(22rem,var(--available-height))] overflow-y-auto p-1 data-empty:p-0">
              {(option: Option<Value>) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  disabled={option.disabled ?? false}
                  className={cn(itemStyle, "grid grid-cols-[1rem_1fr] items-start gap-x-2")}
                >
                  <Base.ItemIndicator className="col-start-1 pt-1">
                    <Check aria-hidden className="size-3.5" />
                  </Base.ItemIndicator>
                  <bdi className="col-start-2 truncate">{option.label}</bdi>
                  {option.hint && (
                    <span className="col-start-2 text-sm text-muted">{option.hint}</span>
                  )}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
