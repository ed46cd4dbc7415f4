"use client";

import { useState, useTransition } from "react";
import { useRefusal } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { FormError } from "@/components/ui/field";
import { Status } from "@/components/ui/status";
import type { ApprovalActions } from "./approval-actions";

type ApprovalSwitchProps = { required: boolean; setRequired: ApprovalActions["setRequired"] };

/** Whether anything waits at all. */
export function ApprovalSwitch({ required, setRequired }: ApprovalSwitchProps) {
  const refused = useRefusal("people");
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  return (
    <Card
      title="A second person"
      actions={
        <Button
          refused={refused}
          pending={pending}
          pendingLabel="Saving…"
          onClick={() =>
            startTransition(async () => {
              const result = await callAction(setRequired, { required: !required });
              setError(result.ok ? undefined : result.message);
            })
          }
        >
          {required ? "No longer require it" : "Require it"}
        </Button>
      }
    >
      <div className="flex flex-col gap-1.5">
        <Status tone={required ? "success" : "neutral"}>
          {required ? "required" : "not required"}
        </Status>
        <p className="max-w-prose text-muted">
          {required
            ? "What becomes enforced or stricter goes live once somebody else approves it. To shadow, a rollback, and what only allows more need nobody."
            : "Who may publish makes rules enforced or stricter alone."}
        </p>
        <FormError>{error}</FormError>
      </div>
    </Card>
  );
}
