"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { Menu, MenuRadioGroup } from "@/components/ui/menu";
import { parseTheme, THEME_COOKIE, type Theme } from "./theme";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

const options = [
  { value: "light", label: "Light", icon: <Sun aria-hidden /> },
  { value: "dark", label: "Dark", icon: <Moon aria-hidden /> },
  { value: "system", label: "As the system", icon: <Monitor aria-hidden /> },
] as const;

export function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>();

  useEffect(() => setTheme(parseTheme(document.documentElement.dataset.theme)), []);

  function choose(next: Theme) {
    setTheme(next);
    document.documentElement.dataset.theme = next;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some browsers
    document.cookie = `${THEME_COOKIE}=${next}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  }

  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label="Theme">
          <Sun aria-hidden className="in-data-[theme=dark]:hidden" />
          <Moon aria-hidden className="hidden in-data-[theme=dark]:block" />
        </Button>
      }
    >
      <MenuRadioGroup
        label="Theme"
        value={theme ?? "system"}
        onValueChange={choose}
        options={options}
      />
    </Menu>
  );
}
