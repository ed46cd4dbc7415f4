"use client";

import { type ComponentProps, createContext, type ReactNode, useContext } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/link";
import { MenuItem } from "@/components/ui/menu";
import type { Permission } from "@/lib/core/access";

export type Need = Exclude<Permission, "read" | "fleet">;

/** Why the reader may not do a thing; what is absent is allowed. The server refuses in the same words. */
export type Refusals = Partial<Record<Need, string>>;

const Context = createContext<Refusals>({});

export function PermissionsProvider({
  refusals,
  children,
}: {
  refusals: Refusals;
  children: ReactNode;
}) {
  return <Context value={refusals}>{children}</Context>;
}

export function useRefusal(need: Need): string | undefined {
  return useContext(Context)[need];
}

type Needs = { needs: Need };

export function PermittedButton({ needs, ...props }: ButtonProps & Needs) {
  return <Button refused={useRefusal(needs)} {...props} />;
}

export function PermittedMenuItem({ needs, ...props }: ComponentProps<typeof MenuItem> & Needs) {
  return <MenuItem refused={useRefusal(needs)} {...props} />;
}

/** A link to a page that is of no use without the permission. */
export function PermittedLink({ needs, ...props }: ComponentProps<typeof ButtonLink> & Needs) {
  const refused = useRefusal(needs);
  if (refused === undefined) return <ButtonLink {...props} />;
  const { children, variant, size, className } = props;
  return (
    <Button refused={refused} variant={variant} size={size} className={className}>
      {children}
    </Button>
  );
}
