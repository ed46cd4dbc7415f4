import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { SystemClock } from "../lib/clock";
import { loadAdminResetConfig } from "../lib/config/config";
import { resetAdmin } from "../lib/control/reset-admin";
import { AppError } from "../lib/core/errors";
import { connectDatabase } from "../lib/db/client";

// Run by `headgate admin reset`, which has checked the options: a program of its own, so that no other command
// loads the database's code.
const { values } = parseArgs({
  options: { email: { type: "string" }, "password-stdin": { type: "boolean" } },
});
try {
  const config = loadAdminResetConfig(process.env);
  const password = values["password-stdin"]
    ? (await text(process.stdin)).replace(/\r?\n$/, "")
    : null;
  if (password !== null && (password.length < 8 || password.length > 128))
    throw new AppError("invalid", `the password must be 8..128 characters, got ${password.length}`);
  const db = connectDatabase({ url: config.databaseUrl, poolSize: 1 });
  try {
    const email = values.email ?? config.adminEmail;
    const made = await resetAdmin(
      { db, clock: new SystemClock() },
      { email, password, publicUrl: config.publicUrl },
    );
    console.error(
      `${made.email} is an admin${made.created ? ", newly made" : ""}; all its sessions ended.`,
    );
    console.error(
      made.link ? "This link sets a password, once, within an hour:" : "The password is set.",
    );
    if (made.link !== null) console.log(made.link);
  } finally {
    await db.$disconnect();
  }
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(`headgate admin reset: ${error.message}`);
  process.exitCode = 1;
}
