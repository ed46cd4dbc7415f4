"use client";

import { AlertDialog as Base } from "@base-ui/react/alert-dialog";
import { type FormEvent, type ReactElement, type ReactNode, useState, useTransition } from "react";
import { Button } from "./button";
import { cn } from "./cn";
import { DialogBody, DialogFooter, dialogPopupStyle, scrimStyle } from "./dialog-parts";
import { Field, FormError } from "./field";
import { Input } from "./input";

export type ConfirmResult = { error: string } | undefined;

type ConfirmDialogProps = {
  title: ReactNode;
  description: ReactNode;
  /** Says what will happen, such as "Enforce in production on 2 gateways". */
  confirmLabel: string;
  pendingLabel?: string;
  cancelLabel?: string;
  /** Runs once per press; an `error` keeps the dialog open and is shown in it. */
  onConfirm: () => Promise<ConfirmResult>;
  tone?: "primary" | "danger";
  /** Must be typed exactly before the action can be pressed. */
  typeToConfirm?: string;
  /** Anything else that holds the action back, such as a missing reason. */
  disabled?: boolean;
  children?: ReactNode;
  trigger?: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    description,
    confirmLabel,
    onConfirm,
    tone = "primary",
    typeToConfirm,
    trigger,
  } = props;
  const [ownOpen, setOwnOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const [pending, startTransition] = useTransition();
  const held =
    props.disabled === true || (typeToConfirm !== undefined && typed.trim() !== typeToConfirm);

  function setOpen(next: boolean) {
    if (pending) return;
    setTyped("");
    setError(undefined);
    setOwnOpen(next);
    props.onOpenChange?.(next);
  }

  function confirm(event: FormEvent) {
    event.preventDefault();
    if (held || pending) return;
    startTransition(async () => {
      const result = await onConfirm();
      if (result?.error) {
        setError(result.error);
        return;
      }
      setTyped("");
      setOwnOpen(false);
      props.onOpenChange?.(false);
    });
  }

  return (
    <Base.Root open={props.open ?? ownOpen} onOpenChange={(next) => setOpen(next)}>
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal>
        <Base.Backdrop className={scrimStyle} />
        <Base.Popup className={cn(dialogPopupStyle, "sm:max-w-lg")}>
          <form onSubmit={confirm} className="flex min-h-0 flex-col">
            <header className="px-5 pt-4">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              <Base.Description className="mt-0.5 text-muted">{description}</Base.Description>
            </header>
            {(props.children || typeToConfirm || error) && (
              <DialogBody>
                <div className="flex flex-col gap-3">
                  {props.children}
                  {typeToConfirm && (
                    <Field
                      label={
                        <>
                          Type <strong className="font-mono">{typeToConfirm}</strong> to confirm
                        </>
                      }
                    >
                      <Input
                        code
                        autoComplete="off"
                        value={typed}
                        onValueChange={(value) => setTyped(value)}
                      />
                    </Field>
                  )}
                  <FormError>{error}</FormError>
                </div>
              </DialogBody>
            )}
            <DialogFooter>
              <Base.Close
                disabled={pending}
                render={<Button>{props.cancelLabel ?? "Cancel"}</Button>}
              />
              <Button
                type="submit"
                variant={tone}
                disabled={held}
                pending={pending}
                pendingLabel={props.pendingLabel ?? `${confirmLabel}…`}
              >
                {confirmLabel}
              </Button>
            </DialogFooter>
          </form>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
