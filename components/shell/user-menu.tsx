"use client";

import { CircleUser, KeyRound, LogOut } from "lucide-react";
import { useTransition } from "react";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "@/components/ui/menu";
import { UserText } from "@/components/ui/user-text";
import type { ShellProps } from "./shell-data";

type UserMenuProps = Pick<ShellProps, "user" | "signOut">;

export function UserMenu({ user, signOut }: UserMenuProps) {
  const [pending, startTransition] = useTransition();
  return (
    <Menu
      trigger={
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Account of ${user.name}`}
          pending={pending}
        >
          <CircleUser aria-hidden />
        </Button>
      }
    >
      <div className="max-w-64 px-2 py-1.5">
        <UserText truncate className="block font-medium">
          {user.name}
        </UserText>
        <UserText truncate className="block text-sm text-muted">
          {user.email}
        </UserText>
        <span className="block text-sm text-muted">Role: {user.role}</span>
      </div>
      <MenuSeparator />
      <MenuLink href="/profile">
        <KeyRound aria-hidden /> Password and sessions
      </MenuLink>
      <MenuItem onSelect={() => startTransition(() => signOut())}>
        <LogOut aria-hidden /> Sign out
      </MenuItem>
    </Menu>
  );
}
