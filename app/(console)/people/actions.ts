"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { requireSession } from "@/app/_server/session";
import {
  endSessions,
  invitePerson,
  listSessions,
  makePasswordLink,
  removePerson,
  updatePerson,
  withdrawInvitation,
} from "@/lib/control";
import { InviteRequestSchema, PersonPatchSchema } from "@/lib/core/api/people";

const id = z.string().min(1).max(100);

export const inviteAction = consoleAction(InviteRequestSchema, (ctx, input) =>
  invitePerson(ctx, input),
);

export const withdrawAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  withdrawInvitation(ctx, input),
);

export const updatePersonAction = consoleAction(PersonPatchSchema.extend({ id }), (ctx, input) =>
  updatePerson(ctx, input),
);

export const removePersonAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  removePerson(ctx, input),
);

export const passwordLinkAction = consoleAction(z.strictObject({ id }), (ctx, input) =>
  makePasswordLink(ctx, input),
);

export const sessionsAction = consoleAction(z.strictObject({ id }), async (ctx, input) =>
  listSessions(ctx, { ...input, currentId: (await requireSession()).id }),
);

export const endSessionsAction = consoleAction(
  z.strictObject({ id, sessionId: id.optional() }),
  (ctx, { id: personId, sessionId }) =>
    endSessions(ctx, { id: personId, ...(sessionId === undefined ? {} : { sessionId }) }),
);
