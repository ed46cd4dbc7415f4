"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";

type ScrollRegionProps = { label?: string; children: ReactNode; className?: string };

/** A box that may scroll: reachable by keyboard exactly while it has something to scroll. */
export function ScrollRegion({ label, children, className }: ScrollRegionProps) {
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () =>
      setScrolls(
        element.scrollWidth > element.clientWidth + 1 ||
          element.scrollHeight > element.clientHeight + 1,
      );
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);

  const reach = scrolls
    ? { tabIndex: 0, role: label ? "region" : "group", "aria-label": label }
    : {};
  return (
    <div ref={box} data-scrolls={scrolls ? "" : undefined} className={className} {...reach}>
      {children}
    </div>
  );
}
