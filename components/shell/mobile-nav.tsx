"use client";

import { Menu as MenuIcon } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Sheet } from "@/components/ui/sheet";
import { FleetSummary } from "./fleet-summary";
import { Nav, type NavCounts } from "./nav";
import type { ShellData } from "./shell-data";

type MobileNavProps = { counts: NavCounts } & Pick<ShellData, "version" | "fleet">;

export function MobileNav({ counts, version, fleet }: MobileNavProps) {
  const [open, setOpen] = useState(false);
  const waiting = counts.openAlerts > 0;
  return (
    <Sheet
      side="start"
      title="Headgate"
      open={open}
      onOpenChange={setOpen}
      className="w-72"
      trigger={
        <Button
          variant="ghost"
          size="icon"
          className="overflow-visible lg:hidden"
          aria-label={waiting ? `Menu, ${counts.openAlerts} open alerts` : "Menu"}
        >
          <MenuIcon aria-hidden />
          {waiting && (
            <span
              aria-hidden
              className="absolute end-1.5 top-1.5 size-2 ring-2 ring-surface rounded-full bg-danger-solid"
            />
          )}
        </Button>
      }
    >
      <div className="-mx-1.5 flex flex-col gap-4">
        <FleetSummary version={version} fleet={fleet} />
        <Nav counts={counts} onNavigate={() => setOpen(false)} />
      </div>
    </Sheet>
  );
}
