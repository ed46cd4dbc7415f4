"use client";

import { Plus } from "lucide-react";
import { useQueryState } from "nuqs";
import { useState } from "react";
import { PermittedButton, useRefusal } from "@/components/shell/permissions";
import type { OverrideActions, OverrideSubjectChoice, RuleChoice } from "./override-actions";
import { OverrideDialog } from "./override-dialog";

type NewOverrideButtonProps = {
  start?: OverrideSubjectChoice;
  rules: readonly RuleChoice[];
  ipv6PrefixLength: number;
  owner: string;
  actions: OverrideActions;
};

/** Opens the dialog; a link with `new=1` finds it open. */
export function NewOverrideButton(dialog: NewOverrideButtonProps) {
  const refused = useRefusal("raise");
  const [asked, setAsked] = useQueryState("new");
  const [isOpen, setOpen] = useState(asked !== null && refused === undefined);

  function close() {
    setOpen(false);
    if (asked !== null) void setAsked(null);
  }

  return (
    <>
      <PermittedButton needs="raise" variant="primary" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> New override
      </PermittedButton>
      {isOpen && <OverrideDialog {...dialog} onClose={close} />}
    </>
  );
}
