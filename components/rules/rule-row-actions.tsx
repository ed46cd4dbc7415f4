"use client";

import {
  CircleOff,
  Ellipsis,
  Eye,
  FileChartColumn,
  Pencil,
  ShieldCheck,
  Undo2,
} from "lucide-react";
import { PermittedButton, PermittedMenuItem, useRefusal } from "@/components/shell/permissions";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "@/components/ui/menu";
import type { RuleDialogKind, RuleSubject } from "./rule-actions-data";

type RuleRowActionsProps = {
  rule: RuleSubject;
  onOpen: (kind: RuleDialogKind) => void;
};

/** The way out first: an enforced rule to shadow; everything else behind one button. */
export function RuleRowActions({ rule, onOpen }: RuleRowActionsProps) {
  const path = `/rules/${encodeURIComponent(rule.id)}`;
  const first = rule.mode === "shadow" ? "enforce" : "shadow";
  return (
    <span className="inline-flex items-center gap-1">
      <PermittedButton
        needs={first === "shadow" ? "relax" : "publish"}
        size="sm"
        onClick={() => onOpen(first)}
        aria-label={`${label(first)} ${rule.name}`}
      >
        {label(first)}
      </PermittedButton>
      <Menu
        trigger={
          <Button variant="ghost" size="icon-sm" aria-label={`More actions for ${rule.name}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        {rule.mode !== "enforce" && first !== "enforce" && (
          <PermittedMenuItem needs="publish" onSelect={() => onOpen("enforce")}>
            <ShieldCheck aria-hidden /> Enforce…
          </PermittedMenuItem>
        )}
        {rule.mode !== "shadow" && first !== "shadow" && (
          <PermittedMenuItem needs="relax" onSelect={() => onOpen("shadow")}>
            <Eye aria-hidden /> To shadow…
          </PermittedMenuItem>
        )}
        {rule.mode !== "off" && (
          <PermittedMenuItem needs="publish" onSelect={() => onOpen("off")}>
            <CircleOff aria-hidden /> Turn off…
          </PermittedMenuItem>
        )}
        <PermittedMenuItem
          needs="rollback"
          disabled={rule.revision === 1}
          onSelect={() => onOpen("rollback")}
        >
          <Undo2 aria-hidden /> Roll back…
        </PermittedMenuItem>
        <MenuSeparator />
        <EditItem href={`${path}/edit`} />
        <MenuLink href={`${path}/report`}>
          <FileChartColumn aria-hidden /> Report
        </MenuLink>
      </Menu>
    </span>
  );
}

function EditItem({ href }: { href: string }) {
  const refused = useRefusal("draft");
  const words = (
    <>
      <Pencil aria-hidden /> Edit
    </>
  );
  return refused === undefined ? (
    <MenuLink href={href}>{words}</MenuLink>
  ) : (
    <MenuItem refused={refused}>{words}</MenuItem>
  );
}

function label(kind: "enforce" | "shadow"): string {
  return kind === "enforce" ? "Enforce…" : "To shadow…";
}
