"use client";

import { useEffect, useState } from "react";

type Token =
  | "enforce"
  | "shadow-mode"
  | "accent"
  | "muted"
  | "border"
  | "text"
  | "surface"
  | "danger";
export type ChartColors = Record<Token, string>;

/** The theme's colours as a canvas needs them: resolved, and read again when the theme changes. */
export function useChartColors(): ChartColors | undefined {
  const [colors, setColors] = useState<ChartColors>();

  useEffect(() => {
    const read = () => setColors(readColors());
    read();
    const observer = new MutationObserver(read);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", read);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", read);
    };
  }, []);

  return colors;
}

function readColors(): ChartColors {
  return {
    enforce: resolve("enforce"),
    "shadow-mode": resolve("shadow-mode"),
    accent: resolve("accent"),
    muted: resolve("muted"),
    border: resolve("border"),
    text: resolve("text"),
    surface: resolve("surface"),
    danger: resolve("danger"),
  };
}

// A fresh element each time: changing the colour of one would start a transition and give the old colour.
function resolve(token: Token): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
