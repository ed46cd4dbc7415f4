"use client";

import { Search, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { cn } from "./cn";
import { controlStyle } from "./control-style";

type SearchInputProps = {
  value: string;
  onValueChange: (value: string) => void;
  /** Spoken name and placeholder, such as "Search rules". */
  label: string;
  /** The page's main search: pressing "/" goes to it. */
  slashKey?: boolean;
  className?: string;
};

export function SearchInput({
  value,
  onValueChange,
  label,
  slashKey = false,
  className,
}: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (!slashKey) return;
    function onKeyDown(event: KeyboardEvent) {
      if (
        event.key !== "/" ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target)
      )
        return;
      event.preventDefault();
      input.current?.focus();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [slashKey]);

  return (
    <div className={cn("relative w-full sm:w-64", className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute inset-y-0 start-2.5 my-auto size-4 text-muted"
      />
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts={slashKey ? "/" : undefined}
        placeholder={label}
        dir="auto"
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") {
            event.stopPropagation();
            onValueChange("");
          }
        }}
        className={cn(controlStyle, "ps-8 pe-8 [&::-webkit-search-cancel-button]:hidden")}
      />
      {value === "" ? (
        slashKey && (
          <kbd
            aria-hidden
            className="pointer-events-none absolute inset-y-0 end-2 my-auto h-5 rounded border px-1.5 font-mono text-xs leading-4.5 text-muted pointer-coarse:hidden"
          >
            /
          </kbd>
        )
      ) : (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            onValueChange("");
            input.current?.focus();
          }}
          className="absolute inset-y-0 end-1 my-auto flex size-6 items-center justify-center rounded text-muted hover:text-text"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest("input, textarea, select, [role=dialog]") !== null
  );
}
