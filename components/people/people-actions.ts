import type { Action } from "@/components/ui/action-result";
import type { Role } from "@/lib/core/access";
import type {
  InvitationCreated,
  InvitationRow,
  PersonRow,
  SessionList,
} from "@/lib/core/api/people";

export type PeopleActions = {
  invite: Action<{ email: string; role: Role }, InvitationCreated>;
  withdraw: Action<{ id: string }, InvitationRow>;
  update: Action<{ id: string; role?: Role; disabled?: boolean }, PersonRow>;
  remove: Action<{ id: string }, PersonRow>;
  passwordLink: Action<{ id: string }, InvitationCreated>;
  sessions: Action<{ id: string }, SessionList>;
  endSessions: Action<{ id: string; sessionId?: string }, { ended: number }>;
};
