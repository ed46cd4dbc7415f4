"use client";

import { Plus } from "lucide-react";
import { useState } from "react";
import { PermittedButton } from "@/components/shell/permissions";
import type { OverrideActions, OverrideSubjectChoice, RuleChoice } from "./override-actions";
import { OverrideDialog } from "./override-dialog";

type NewOverrideButtonProps = {
  start?: OverrideSubjectChoice;
  rules: readonly RuleChoice[];
  ipv6PrefixLength: number;
  owner: string;
  actions: OverrideActions;
  isOpenAtFirst: boolean;
};

export function NewOverrideButton({ isOpenAtFirst, ...dialog }: NewOverrideButtonProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <>
      <PermittedButton needs="raise" variant="primary" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> New override
      </PermittedButton>
      {isOpen && <OverrideDialog {...dialog} onClose={() => setOpen(false)} />}
    </>
  );
}
