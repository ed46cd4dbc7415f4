import type { z } from "zod";
import { PasswordChangeSchema } from "@/lib/core/api/people";
import { AppError } from "@/lib/core/errors";
import { parseInput } from "@/lib/core/parse";
import { inTransaction } from "@/lib/db/client";
import type { Ctx } from "./context";
import { CREDENTIAL, isPassword, passwordHash, writeCredential } from "./credential";
import { recordAudit } from "./record-audit";
import { countByPerson } from "./sign-in-limits";

/** Of the one who asks. Ends the other sessions: whoever knew the old password is out. */
export async function changePassword(
  ctx: Ctx,
  { currentId, ...input }: z.input<typeof PasswordChangeSchema> & { currentId: string },
): Promise<{ ended: number }> {
  const { actor, db } = ctx;
  if (actor.type !== "user")
    throw new AppError("forbidden", `${actor.name} has no password: only people sign in`);
  const { current, password } = parseInput(PasswordChangeSchema, input, "the form");
  const counted = await countByPerson(ctx, actor.id);
  if (!counted.ok) throw counted.error;
  const account = await db.account.findFirst({
    where: { userId: actor.id, providerId: CREDENTIAL },
  });
  if (account === null)
    throw new AppError("conflict", "your account has no password: you sign in by single sign-on");
  if (!(await isPassword(account.password, current))) {
    const message = "the present password is wrong";
    throw new AppError("invalid", message, { errors: [{ path: "current", message }] });
  }
  await counted.forget();
  const hash = await passwordHash(password);
  return inTransaction(db, async (tx) => {
    await writeCredential(tx, { userId: actor.id, hash });
    const { count: ended } = await tx.session.deleteMany({
      where: { userId: actor.id, id: { not: currentId } },
    });
    await recordAudit(tx, actor, {
      action: "user.password",
      kind: "user",
      objectId: actor.id,
      sentence: `${actor.name} changed their own password${ended > 0 ? `, which ended ${ended === 1 ? "another session" : `${ended} other sessions`}` : ""}`,
    });
    return { ended };
  });
}
