"use client";

import { useRouter } from "next/navigation";
import { EnforceDialog } from "./enforce-dialog";
import { ModeDialog } from "./mode-dialog";
import { RollbackDialog } from "./rollback-dialog";
import type { RuleActions, RuleDialogKind, RuleSubject } from "./rule-actions-data";

export type OpenRuleDialog = { kind: RuleDialogKind; rule: RuleSubject };

type RuleDialogProps = {
  /** Null: none is open. */
  dialog: OpenRuleDialog | null;
  actions: RuleActions;
  onClose: () => void;
};

/** The one dialog of a page that has rules; it stays when the row that opened it changes. */
export function RuleDialog({ dialog, actions, onClose }: RuleDialogProps) {
  const router = useRouter();
  if (dialog === null) return null;
  const close = () => {
    router.refresh();
    onClose();
  };
  const { kind, rule } = dialog;
  switch (kind) {
    case "enforce":
      return <EnforceDialog rule={rule} actions={actions} onClose={close} />;
    case "rollback":
      return <RollbackDialog rule={rule} actions={actions} onClose={close} />;
    case "shadow":
    case "off":
      return <ModeDialog rule={rule} mode={kind} actions={actions} onClose={close} />;
  }
}
