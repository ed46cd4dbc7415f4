"use client";

import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useState,
} from "react";
import type { Overview } from "@/lib/core/api/overview";

const Context = createContext<Overview | null>(null);
const ChangesContext = createContext<EventTarget | null>(null);

type OverviewProviderProps = { value: Overview; changes: EventTarget; children: ReactNode };

export function OverviewProvider({ value, changes, children }: OverviewProviderProps) {
  return (
    <ChangesContext value={changes}>
      <Context value={value}>{children}</Context>
    </ChangesContext>
  );
}

/** The environment, the live version and the fleet as they are now; kept fresh by the frame. */
export function useOverview(): Overview {
  const overview = useContext(Context);
  if (overview === null) throw new Error("the overview is only known inside the console's frame");
  return overview;
}

export const CHANGE_EVENT = "change";

/** The frame may be cut off from the console while reads still pass, and silence makes no event. */
const CALM_MS = 5_000;

/**
 * Reads at once, at each change that the frame hears of, and seldom otherwise, while the page is in view; one at a
 * time. It stops when `read` answers false.
 */
export function useLiveRead(
  read: (signal: AbortSignal) => Promise<boolean>,
  { enabled }: { enabled: boolean },
): void {
  const changes = useContext(ChangesContext);
  const run = useEffectEvent(read);
  // A change between two effects is not missed: each effect begins with a read.
  const [none] = useState(() => new EventTarget());
  const target = changes ?? none;

  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isRunning = false;
    let isAgain = false;

    async function turn() {
      clearTimeout(timer);
      if (document.visibilityState === "hidden" || signal.aborted) return;
      if (isRunning) {
        isAgain = true;
        return;
      }
      isRunning = true;
      let goesOn = true;
      do {
        isAgain = false;
        goesOn = await run(signal);
      } while (isAgain && goesOn && !signal.aborted);
      isRunning = false;
      if (goesOn && !signal.aborted) timer = setTimeout(turn, CALM_MS);
    }

    const onTold = () => void turn();
    target.addEventListener(CHANGE_EVENT, onTold, { signal });
    document.addEventListener("visibilitychange", onTold, { signal });
    onTold();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [target, enabled]);
}
