import { ROLES, type Role } from "@/lib/core/access";

const WORDS: Record<Role, string> = {
  viewer: "Sees everything, changes nothing.",
  support: "Resets a client's counters, raises its limit for up to 24 hours.",
  responder: "As support; sets rules to shadow, rolls back, handles gateways and alerts.",
  editor: "Edits drafts; publishes nothing.",
  publisher: "Publishes, changes modes, rolls back, manages API keys.",
  admin: "All of it, with people and API tokens.",
};

export const ROLE_OPTIONS = ROLES.map((role) => ({ value: role, label: role, hint: WORDS[role] }));
