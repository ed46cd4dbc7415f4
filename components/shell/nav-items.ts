import {
  Bell,
  CheckCheck,
  FilePenLine,
  FlaskConical,
  History,
  KeyRound,
  Layers,
  ListChecks,
  type LucideIcon,
  ScrollText,
  Server,
  Settings2,
  ShieldBan,
  SlidersHorizontal,
  UserSearch,
  Users,
} from "lucide-react";

export type NavItem = {
  href: string;
  label: string;
  Icon: LucideIcon;
  /** Which of the shell's counts stands beside it, and how it is read out. */
  count?: {
    of: "draftChanges" | "openAlerts" | "openRequests";
    one: string;
    many: string;
    tone: "accent" | "danger";
  };
};

export const navGroups: readonly { label: string; items: readonly NavItem[] }[] = [
  {
    label: "Ruleset",
    items: [
      { href: "/rules", label: "Rules", Icon: ListChecks },
      { href: "/lists", label: "Lists", Icon: ShieldBan },
      { href: "/backtest", label: "Backtest", Icon: FlaskConical },
      {
        href: "/draft",
        label: "Review draft",
        Icon: FilePenLine,
        count: {
          of: "draftChanges",
          one: "unpublished change",
          many: "unpublished changes",
          tone: "accent",
        },
      },
      {
        href: "/approvals",
        label: "Approvals",
        Icon: CheckCheck,
        count: {
          of: "openRequests",
          one: "change waits for approval",
          many: "changes wait for approval",
          tone: "accent",
        },
      },
      { href: "/versions", label: "Versions", Icon: History },
      { href: "/settings", label: "Settings", Icon: Settings2 },
    ],
  },
  {
    label: "Clients",
    items: [
      { href: "/clients", label: "Lookup", Icon: UserSearch },
      { href: "/plans", label: "Plans", Icon: Layers },
      { href: "/keys", label: "Keys", Icon: KeyRound },
      { href: "/overrides", label: "Overrides", Icon: SlidersHorizontal },
    ],
  },
  {
    label: "Operations",
    items: [
      { href: "/gateways", label: "Gateways", Icon: Server },
      {
        href: "/alerts",
        label: "Alerts",
        Icon: Bell,
        count: { of: "openAlerts", one: "open alert", many: "open alerts", tone: "danger" },
      },
      { href: "/audit", label: "Audit", Icon: ScrollText },
      { href: "/people", label: "People", Icon: Users },
    ],
  },
];
