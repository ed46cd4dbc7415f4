import NextLink from "next/link";
import type { ComponentProps } from "react";
import { type ButtonStyle, buttonStyle } from "./button-style";
import { cn } from "./cn";

export const linkStyle =
  "text-accent underline decoration-accent/35 underline-offset-2 hover:decoration-current rounded-xs";

export function TextLink({ className, ...props }: ComponentProps<typeof NextLink>) {
  return <NextLink className={cn(linkStyle, className)} {...props} />;
}

/** A name in a table row that leads to its page. Not fetched ahead: a table has a hundred of them. */
export function RowLink({ className, ...props }: ComponentProps<typeof NextLink>) {
  return (
    <NextLink
      prefetch={false}
      className={cn(
        "rounded-xs font-medium text-text hover:underline underline-offset-2",
        className,
      )}
      {...props}
    />
  );
}

export function ButtonLink({
  variant,
  size,
  className,
  ...props
}: ComponentProps<typeof NextLink> & ButtonStyle) {
  return <NextLink className={cn(buttonStyle({ variant, size }), className)} {...props} />;
}
