"use client";

import { Undo2 } from "lucide-react";
import { useState } from "react";
import type { RollbackVersion } from "@/components/rules/published-version";
import { PermittedButton } from "@/components/shell/permissions";
import type { ButtonProps } from "@/components/ui/button";
import { RollbackVersionDialog } from "./rollback-version-dialog";

type RollbackButtonProps = Pick<ButtonProps, "size" | "variant"> & {
  target: number;
  rollbackVersion: RollbackVersion;
};

export function RollbackButton({ target, rollbackVersion, ...look }: RollbackButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PermittedButton
        needs="rollback"
        {...look}
        aria-label={`Roll back to here: version ${target}`}
        onClick={() => setOpen(true)}
      >
        <Undo2 aria-hidden /> Roll back to here
      </PermittedButton>
      {isOpen && (
        <RollbackVersionDialog
          target={target}
          rollbackVersion={rollbackVersion}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
