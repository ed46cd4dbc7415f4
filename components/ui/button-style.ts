import { cva, type VariantProps } from "class-variance-authority";

export const buttonStyle = cva(
  [
    "relative inline-flex shrink-0 select-none items-center justify-center gap-1.5 overflow-hidden",
    "whitespace-nowrap rounded-md border font-medium no-underline transition-colors",
    "aria-disabled:opacity-55 disabled:opacity-55 data-disabled:opacity-55 data-pending:opacity-100",
    "[&>svg]:size-4 [&>svg]:shrink-0",
  ],
  {
    variants: {
      variant: {
        primary:
          "border-transparent bg-accent-solid text-on-accent not-aria-disabled:hover:bg-accent-solid-hover",
        secondary: "border-border-strong/60 bg-surface text-text not-aria-disabled:hover:bg-hover",
        ghost:
          "border-transparent bg-transparent text-text not-aria-disabled:hover:bg-hover data-popup-open:bg-hover",
        danger:
          "border-transparent bg-danger-solid text-on-danger not-aria-disabled:hover:bg-danger-solid-hover",
        "danger-outline":
          "border-danger-border bg-surface text-danger not-aria-disabled:hover:bg-danger-subtle",
      },
      size: {
        sm: "h-7 px-2.5 text-sm pointer-coarse:h-9",
        md: "h-8 px-3 text-base pointer-coarse:h-10",
        lg: "h-10 px-4 text-base pointer-coarse:h-11",
        icon: "size-8 p-0 pointer-coarse:size-10",
        "icon-sm": "size-7 p-0 pointer-coarse:size-9",
      },
    },
    defaultVariants: { variant: "secondary", size: "md" },
  },
);

export type ButtonStyle = VariantProps<typeof buttonStyle>;
