"use client";

import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { usePoll } from "./use-poll";

/** Renders the page's server parts anew every few seconds while it is in view; what was typed or opened stays. */
export function RefreshEvery({ ms }: { ms: number }) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  usePoll(
    async () => {
      if (!pending) startTransition(() => router.refresh());
      return true;
    },
    { everyMs: ms },
  );
  return null;
}
