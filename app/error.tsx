"use client";

import { LoadError, type LoadErrorProps } from "@/components/shell/load-error";
import { Logo } from "@/components/shell/logo";

export default function RootError(props: LoadErrorProps) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-2xl flex-col justify-center gap-4 px-4">
      <h1 className="flex items-center gap-2.5 text-xl font-semibold">
        <Logo /> Headgate
      </h1>
      <LoadError {...props} />
    </main>
  );
}
