"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Button } from "./button";
import { cn } from "./cn";
import { DialogBody, DialogFooter, dialogPopupStyle, scrimStyle } from "./dialog-parts";

type DialogProps = {
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  /** A Button; pressing it opens the dialog. */
  trigger?: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  size?: "sm" | "md" | "lg";
};

const widths = { sm: "sm:max-w-sm", md: "sm:max-w-lg", lg: "sm:max-w-3xl" };

export function Dialog(props: DialogProps) {
  const { title, description, children, footer, trigger, open, onOpenChange, size = "md" } = props;
  return (
    <Base.Root
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange: (next: boolean) => onOpenChange(next) } : {})}
    >
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal>
        <Base.Backdrop className={scrimStyle} />
        <Base.Popup className={cn(dialogPopupStyle, widths[size])}>
          <header className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-0.5 text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              render={
                <Button variant="ghost" size="icon-sm" aria-label="Close" className="-me-1.5">
                  <X aria-hidden />
                </Button>
              }
            />
          </header>
          {children && <DialogBody>{children}</DialogBody>}
          {footer && <DialogFooter>{footer}</DialogFooter>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Closes the dialog around it. */
export function DialogClose({ children = "Close" }: { children?: ReactNode }) {
  return <Base.Close render={<Button>{children}</Button>} />;
}
