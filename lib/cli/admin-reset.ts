import { textOption } from "./arguments";
import { type Command, UsageError } from "./command";

export const adminResetCommand: Command = {
  name: "admin reset",
  usage: "admin reset [--email EMAIL] [--password-stdin]",
  summary: "Let an admin in when nobody can sign in. Needs DATABASE_URL.",
  help: `  --email EMAIL     whose account to repair, or to make; HEADGATE_ADMIN_EMAIL if not given
  --password-stdin  set the password read from standard input; without it a link that
                    sets one is printed, good once within an hour

The account becomes an admin, enabled, and all its sessions end. The audit log keeps it.
It speaks to the database itself, so run it where DATABASE_URL reaches it. The link begins
with HEADGATE_PUBLIC_URL. The embedded database of \`npm start\` has no DATABASE_URL: set
HEADGATE_ADMIN_PASSWORD there and start again.`,
  options: { email: { type: "string" }, "password-stdin": { type: "boolean" } },
  async run({ values, positionals, io }) {
    if (positionals.length > 0) throw new UsageError(`takes no ${JSON.stringify(positionals[0])}`);
    const email = textOption(values, "email");
    if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email))
      throw new UsageError(`--email must be an email address, got ${JSON.stringify(email)}`);
    return io.program("admin-reset", [
      ...(email === undefined ? [] : ["--email", email]),
      ...(values["password-stdin"] === true ? ["--password-stdin"] : []),
    ]);
  },
};
