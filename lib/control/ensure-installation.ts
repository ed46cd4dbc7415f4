import { demoKey } from "@/lib/core/demo-keys";
import { DEMO_CONTENT, INITIAL_CONTENT } from "@/lib/core/demo-ruleset";
import { AppError } from "@/lib/core/errors";
import type { VersionId } from "@/lib/core/version";
import { inTransaction, type Tx } from "@/lib/db/client";
import { findInstallation, insertInstallation, lockInstallation } from "@/lib/db/installation";
import { writeVersion } from "./commit-version";
import { type Control, type Ctx, SYSTEM, withActor } from "./context";
import { ensureDemoKeys } from "./ensure-demo-keys";

export type Installed = { version: VersionId; created: boolean; demoKey?: string };

/** The first start publishes version 1, and with `demo` its rules and clients too. Later ones change nothing. */
export async function ensureInstallation(
  control: Control,
  { demo }: { demo: boolean },
): Promise<Installed> {
  const ctx = withActor(control, SYSTEM);
  const { environment, clock, db, config } = control;
  const found = await findInstallation(db);
  const created =
    found === null &&
    (await inTransaction(db, async (tx) => {
      const epoch = Math.floor(clock.nowMs() / 1000);
      if (!(await insertInstallation(tx, { environment, epoch, demo }))) return false;
      await writeFirst(ctx, tx, demo);
      return true;
    }));
  const installation = await findInstallation(db);
  if (installation === null) throw new AppError("internal", "the installation was not made");
  if (installation.environment !== environment)
    throw new AppError(
      "invalid",
      `this database is of environment "${installation.environment}", HEADGATE_ENVIRONMENT says "${environment}": one installation is one environment`,
    );
  if (installation.demo) {
    await inTransaction(db, async (tx) => {
      await lockInstallation(tx);
      await ensureDemoKeys(ctx, tx);
    });
  }
  const { epoch, version } = installation;
  return {
    version: { epoch, version },
    created,
    ...(installation.demo ? { demoKey: demoKey(config.secrets, 0) } : {}),
  };
}

async function writeFirst(ctx: Ctx, tx: Tx, demo: boolean): Promise<void> {
  const installation = await lockInstallation(tx);
  if (installation === null) throw new AppError("internal", "the installation was not made");
  await writeVersion(ctx, tx, {
    installation,
    live: null,
    plan: {
      kind: "initial",
      message: demo ? "first start, with the demo's rules" : "first start",
      content: demo ? DEMO_CONTENT : INITIAL_CONTENT,
      evidence: "exempt",
      audit: {
        action: "version.initial",
        kind: "version",
        objectId: "1",
        did: demo ? "set up the demo" : "set up Headgate with three plans and no rules",
      },
    },
  });
}
