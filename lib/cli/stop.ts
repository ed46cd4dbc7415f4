import { loadCliConfig } from "../config/config";
import {
  STOP_MINUTES_MAX,
  type Stop,
  StopListSchema,
  StopMadeSchema,
  StopSchema,
} from "../core/api/stops";
import { createApiClient } from "./api-client";
import { numberOption, textOption } from "./arguments";
import { type Command, EXIT, print, UsageError } from "./command";

export const stopCommand: Command = {
  name: "stop",
  usage: "stop (RULE... | --all) --reason TEXT [--minutes N]",
  summary: "Stop enforcing: rules to shadow for a time, as one version.",
  help: `  RULE...        ids of rules
  --all          every rule that is enforced
  --reason TEXT  goes to the audit log and above every page
  --minutes N    then they are enforced again by themselves; 60 when not given

Allow, deny and flood lists stay in force. With the console down: docs/break-glass.md.`,
  options: {
    all: { type: "boolean" },
    reason: { type: "string" },
    minutes: { type: "string" },
  },
  async run({ values, positionals, io }) {
    const isAll = values.all === true;
    if (isAll === positionals.length > 0)
      throw new UsageError("takes ids of rules or --all, and one of them");
    const reason = textOption(values, "reason");
    if (reason === undefined) throw new UsageError("--reason is missing: why, in a line");
    const minutes = numberOption(values, "minutes", {
      min: 1,
      max: STOP_MINUTES_MAX,
      isWhole: true,
    });
    const call = createApiClient(loadCliConfig(io.env), io.signal);
    const { version, stop } = await call({
      method: "POST",
      path: "/stops",
      body: {
        rules: isAll ? "all" : positionals,
        reason,
        ...(minutes !== undefined && { minutes }),
      },
      answer: StopMadeSchema,
    });
    print(
      io.stdout,
      `version ${version}: ${stop.rules.join(", ")} in shadow until ${stop.expiresAt} (stop ${stop.id})`,
    );
    return EXIT.done;
  },
};

export const resumeCommand: Command = {
  name: "resume",
  usage: "resume [STOP...]",
  summary: "Enforce again what was stopped, before its time is over.",
  help: `  STOP...  ids, as stop prints them; every stop in force when none is given

A rule that was changed, removed or rolled back meanwhile stays as it is.`,
  options: {},
  async run({ positionals, io }) {
    const call = createApiClient(loadCliConfig(io.env), io.signal);
    const ids =
      positionals.length > 0
        ? positionals
        : (await call({ path: "/stops?limit=500", answer: StopListSchema })).items.map(
            ({ id }) => id,
          );
    for (const id of ids) {
      const path = `/stops/${encodeURIComponent(id)}/end`;
      print(io.stdout, ended(await call({ method: "POST", path, body: {}, answer: StopSchema })));
    }
    if (ids.length === 0) print(io.stderr, "nothing is stopped");
    return EXIT.done;
  },
};

function ended({ id, endedVersion, outcome }: Stop): string {
  const version = endedVersion === null ? "no version was needed" : `version ${endedVersion}`;
  return `stop ${id}: ${version}: ${outcome ?? ""}`;
}
