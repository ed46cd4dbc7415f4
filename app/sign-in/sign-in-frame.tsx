import type { ReactNode } from "react";
import { EnvironmentBadge } from "@/components/shell/environment-badge";
import { Logo } from "@/components/shell/logo";
import { ThemeToggle } from "@/components/shell/theme-toggle";

type SignInFrameProps = { environment: string; children: ReactNode };

export function SignInFrame({ environment, children }: SignInFrameProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <div className="flex justify-end p-2">
        <ThemeToggle />
      </div>
      <main className="mx-auto flex w-full max-w-88 flex-1 flex-col justify-center px-4 pb-[18dvh]">
        <div className="mb-6 flex items-center gap-2.5">
          <Logo />
          <h1 className="flex-1 text-xl font-semibold tracking-tight">
            <span className="sr-only">Sign in to </span>Headgate
          </h1>
          <EnvironmentBadge environment={environment} />
        </div>
        {children}
      </main>
    </div>
  );
}
