"use client";

import { CircleQuestionMark, Ellipsis, Gauge, Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuLink, MenuSeparator } from "@/components/ui/menu";
import { clientHref, newOverrideHref, overridesHref } from "./client-href";

type ClientMenuProps = {
  client: string;
  customer: string;
  /** As the row calls it. */
  name: string;
};

/** From a key to why it was limited, and to the limits of its own. */
export function ClientMenu({ client, customer, name }: ClientMenuProps) {
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon-sm" aria-label={`Limits of ${name}`}>
          <Ellipsis aria-hidden />
        </Button>
      }
    >
      <MenuLink href={clientHref(client)}>
        <CircleQuestionMark aria-hidden /> Why was it limited?
      </MenuLink>
      <MenuLink href={overridesHref(client)}>
        <Gauge aria-hidden /> Its overrides
      </MenuLink>
      <MenuLink href={newOverrideHref(client)}>
        <Plus aria-hidden /> Give it an override…
      </MenuLink>
      <MenuSeparator />
      <MenuLink href={clientHref(`customer:${customer}`)}>
        <CircleQuestionMark aria-hidden /> Look up its customer
      </MenuLink>
    </Menu>
  );
}
