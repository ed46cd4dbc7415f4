import type { ReactNode } from "react";
import { Button } from "./button";

type DialogFormActionsProps = {
  /** Of the form that the main button submits. */
  formId: string;
  pending: boolean;
  pendingLabel: string;
  onCancel: () => void;
  variant?: "primary" | "danger";
  disabled?: boolean;
  className?: string;
  /** What the main button says. */
  children: ReactNode;
};

/** A dialog's closing strip while its form is open: Cancel, and the button that submits. */
export function DialogFormActions(props: DialogFormActionsProps) {
  const { formId, pending, onCancel, variant = "primary", children, ...button } = props;
  return (
    <>
      <Button disabled={pending} onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" form={formId} variant={variant} pending={pending} {...button}>
        {children}
      </Button>
    </>
  );
}
