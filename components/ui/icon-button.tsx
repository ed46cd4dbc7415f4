"use client";

import type { ReactNode } from "react";
import { Button, type ButtonProps } from "./button";
import { Tooltip } from "./tooltip";

type IconButtonProps = Omit<ButtonProps, "children" | "aria-label" | "size"> & {
  /** Spoken name, and the tooltip. */
  label: string;
  icon: ReactNode;
  size?: "icon" | "icon-sm";
};

export function IconButton({
  label,
  icon,
  variant = "ghost",
  size = "icon",
  ...props
}: IconButtonProps) {
  return (
    <Tooltip label={props.refused ?? label}>
      <Button aria-label={label} variant={variant} size={size} title={undefined} {...props}>
        {icon}
      </Button>
    </Tooltip>
  );
}
