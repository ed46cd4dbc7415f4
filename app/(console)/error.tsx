"use client";

import { LoadError, type LoadErrorProps } from "@/components/shell/load-error";

export default function ConsoleError(props: LoadErrorProps) {
  return <LoadError {...props} />;
}
