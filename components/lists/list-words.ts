import type { ListName } from "@/lib/core/list-entry";

type Words = { title: string; does: string; empty: string; hint: string; placeholder: string };

const CLIENTS = "One a line: key:<id>, customer:<id>, an address or a CIDR range.";

export const LIST_WORDS: Record<ListName, Words> = {
  deny: {
    title: "Deny",
    does: "Refused with 403 before any rule is looked at.",
    empty: "Nobody is denied.",
    hint: CLIENTS,
    placeholder: "198.51.100.0/24\nkey:k_7f3a",
  },
  flood: {
    title: "Flood",
    does: "Each address may make so many requests a second at one gateway; the rest is refused with 429.",
    empty: "No address is held to a number of requests a second.",
    hint: "One a line: an address or a CIDR range. 0.0.0.0/0 and ::/0 together are everybody.",
    placeholder: "0.0.0.0/0\n::/0",
  },
  allow: {
    title: "Allow",
    does: "Passes without any rule. A key is still needed where one is.",
    empty: "Nobody is exempt.",
    hint: CLIENTS,
    placeholder: "customer:acme\n192.0.2.10",
  },
};
