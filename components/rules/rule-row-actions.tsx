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
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "@/components/ui/menu";
import type { RuleDialogKind, RuleSubject } from "./rule-actions-data";

type RuleRowActionsProps = {
  rule: RuleSubject;
  /** How many revisions it has had: the first has nothing to go back to. */
  onOpen: (kind: RuleDialogKind) => void;
};

/** The way out first: an enforced rule to shadow; everything else behind one button. */
export function RuleRowActions({ rule, onOpen }: RuleRowActionsProps) {
  const path = `/rules/${encodeURIComponent(rule.id)}`;
  const first = rule.mode === "shadow" ? "enforce" : "shadow";
  return (
    <span className="inline-flex items-center gap-1">
      <Button size="sm" onClick={() => onOpen(first)} aria-label={`${label(first)} ${rule.name}`}>
        {label(first)}
      </Button>
      <Menu
        trigger={
          <Button variant="ghost" size="icon-sm" aria-label={`More actions for ${rule.name}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        {rule.mode !== "enforce" && first !== "enforce" && (
          <MenuItem onSelect={() => onOpen("enforce")}>
            <ShieldCheck aria-hidden /> Enforce…
          </MenuItem>
        )}
        {rule.mode !== "shadow" && first !== "shadow" && (
          <MenuItem onSelect={() => onOpen("shadow")}>
            <Eye aria-hidden /> To shadow…
          </MenuItem>
        )}
        {rule.mode !== "off" && (
          <MenuItem onSelect={() => onOpen("off")}>
            <CircleOff aria-hidden /> Turn off…
          </MenuItem>
        )}
        <MenuItem disabled={rule.revision === 1} onSelect={() => onOpen("rollback")}>
          <Undo2 aria-hidden /> Roll back…
        </MenuItem>
        <MenuSeparator />
        <MenuLink href={`${path}/edit`}>
          <Pencil aria-hidden /> Edit
        </MenuLink>
        <MenuLink href={`${path}/report`}>
          <FileChartColumn aria-hidden /> Report
        </MenuLink>
      </Menu>
    </span>
  );
}

function label(kind: "enforce" | "shadow"): string {
  return kind === "enforce" ? "Enforce…" : "To shadow…";
}
