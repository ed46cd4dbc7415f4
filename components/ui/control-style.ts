/** What every one-line control (input, select, combobox, number) shares. */
export const controlStyle = [
  "h-8 w-full min-w-0 rounded-md border border-border-strong bg-surface px-2.5 text-base text-text",
  "placeholder:text-muted pointer-coarse:h-10 pointer-coarse:text-lg",
  "focus-visible:outline-offset-0 data-invalid:border-danger aria-invalid:border-danger",
  "disabled:bg-sunken disabled:text-muted data-disabled:bg-sunken data-disabled:text-muted",
  "[&:is(input,textarea):read-only]:bg-sunken",
].join(" ");

export const popupStyle = [
  "z-50 rounded-lg border bg-raised text-text shadow-lift outline-none",
  "origin-(--transform-origin) transition-[scale,opacity] duration-100",
  "data-ending-style:scale-[0.98] data-ending-style:opacity-0",
  "data-starting-style:scale-[0.98] data-starting-style:opacity-0",
].join(" ");

export const itemStyle = [
  "cursor-default select-none rounded-md px-2 py-1.5 text-base outline-none pointer-coarse:py-2.5",
  "data-highlighted:bg-hover data-disabled:text-muted data-disabled:opacity-60",
].join(" ");
