"use server";

import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { openAction } from "@/app/_server/action";
import { setCookies } from "@/app/_server/session";
import { acceptInvitation, findInvitation } from "@/lib/control";
import { AcceptRequestSchema } from "@/lib/core/api/people";

const token = z.string().min(1).max(200);

export const findInvitationAction = openAction(z.strictObject({ token }), (control, input) =>
  findInvitation(control, input),
);

export const acceptAction = openAction(AcceptRequestSchema, async (control, input) => {
  const { cookies } = await acceptInvitation(control, { ...input, headers: await headers() });
  await setCookies(cookies);
  redirect("/rules");
});
