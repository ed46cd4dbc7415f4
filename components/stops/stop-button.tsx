"use client";

import { OctagonX } from "lucide-react";
import { useState } from "react";
import type { RollbackVersion } from "@/components/rules/published-version";
import { PermittedButton } from "@/components/shell/permissions";
import type { StopEnforcing } from "./stop-actions-data";
import { StopDialog } from "./stop-dialog";

type StopButtonProps = { stop: StopEnforcing; rollbackVersion: RollbackVersion };

/** Everything that is enforced, to shadow. */
export function StopButton(props: StopButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PermittedButton needs="relax" onClick={() => setOpen(true)}>
        <OctagonX aria-hidden /> Stop enforcing…
      </PermittedButton>
      {isOpen && <StopDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
