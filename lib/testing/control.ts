import { randomBytes } from "node:crypto";
import { type Clock, SystemClock } from "../clock";
import { parseRedisUrl } from "../config/redis-url";
import {
  type Actor,
  type Control,
  type ControlConfig,
  type Ctx,
  createControl,
  ensureInstallation,
  withActor,
} from "../control";
import { createLog } from "../log";
import type { TestDatabase } from "./postgres";
import { createTestDatabase, sharedRedisUrl } from "./services";

export const ROOT_SECRET = "a root secret of tests, 32 chars";

export const ADMIN: Actor = { type: "user", id: "dana", name: "Dana", role: "admin" };
export const PUBLISHER: Actor = { type: "user", id: "pat", name: "Pat", role: "publisher" };
export const EDITOR: Actor = { type: "user", id: "eli", name: "Eli", role: "editor" };
export const RESPONDER: Actor = { type: "user", id: "rae", name: "Rae", role: "responder" };
export const SUPPORT: Actor = { type: "user", id: "sam", name: "Sam", role: "support" };
export const VIEWER: Actor = { type: "user", id: "vic", name: "Vic", role: "viewer" };
export const GATEWAY: Actor = {
  type: "token",
  id: "gw",
  name: "Gateway token",
  scopes: ["gateway"],
};

export type TestControl = {
  control: Control;
  /** Dana, admin. */
  ctx: Ctx;
  as(actor: Actor): Ctx;
  database: TestDatabase;
  close(): Promise<void>;
};

type Options = { demo?: boolean; clock?: Clock; installed?: boolean } & Partial<
  Pick<ControlConfig, "publicUrl" | "gatewayToken" | "bootstrapToken" | "redis" | "oidc">
>;

/** A control plane on a database and a Redis environment of its own; close it in afterAll. */
export async function createTestControl({
  demo = false,
  clock = new SystemClock(),
  installed = true,
  ...fields
}: Options = {}): Promise<TestControl> {
  const database = await createTestDatabase();
  const node = parseRedisUrl(sharedRedisUrl());
  if ("wrong" in node) throw new Error(node.wrong);
  const config: ControlConfig = {
    environment: `test-${randomBytes(6).toString("hex")}`,
    databaseUrl: database.url,
    secrets: [ROOT_SECRET],
    redis: { state: { kind: "single", node }, control: { kind: "single", node } },
    publicUrl: "http://localhost:3000",
    ...fields,
  };
  const control = createControl(config, {
    log: createLog({ name: "test", level: "silent" }),
    clock,
  });
  if (installed) await ensureInstallation(control, { demo });
  return {
    control,
    ctx: withActor(control, ADMIN),
    as: (actor) => withActor(control, actor),
    database,
    close: async () => {
      await control.close();
      await database.drop();
    },
  };
}
