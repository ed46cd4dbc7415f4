"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { Overview } from "@/lib/core/api/overview";

const Context = createContext<Overview | null>(null);

export function OverviewProvider({ value, children }: { value: Overview; children: ReactNode }) {
  return <Context value={value}>{children}</Context>;
}

/** The environment, the live version and the fleet as they are now; kept fresh by the frame. */
export function useOverview(): Overview {
  const overview = useContext(Context);
  if (overview === null) throw new Error("the overview is only known inside the console's frame");
  return overview;
}
