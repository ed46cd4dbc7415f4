"use server";

import { z } from "zod";
import { consoleAction } from "@/app/_server/action";
import { requireSession } from "@/app/_server/session";
import { changePassword, endSessions } from "@/lib/control";
import { PasswordChangeSchema } from "@/lib/core/api/people";

export const changePasswordAction = consoleAction(PasswordChangeSchema, async (ctx, input) =>
  changePassword(ctx, { ...input, currentId: (await requireSession()).id }),
);

export const endOwnSessionsAction = consoleAction(
  z.strictObject({ sessionId: z.string().min(1).max(100).optional() }),
  async (ctx, { sessionId }) => {
    const session = await requireSession();
    return endSessions(ctx, {
      id: session.user.id,
      currentId: session.id,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  },
);
