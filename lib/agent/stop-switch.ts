import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@/lib/clock";
import { readStoppedRules, type StopEnforcing } from "@/lib/core/stop-enforcing";
import type { Log } from "@/lib/log";

export const STOP_FILE = "stop-enforcing";
const LOOK_MS = 1_000;

/** The way out that needs nothing but this machine: a file that comes and goes, or a variable set at the start. */
export type StopSwitch = {
  /** Null: every rule is in force as published. */
  current(): StopEnforcing | null;
  /** Why it is not as somebody wrote it. */
  error(): string | null;
  /** Looks at once, then each second. */
  start(): Promise<void>;
  close(): void;
};

type Options = {
  dataDir: string;
  /** HEADGATE_STOP_ENFORCING as given. */
  variable?: string | undefined;
  onChange(): void;
  clock: Clock;
  log: Log;
  lookMs?: number;
};

export function createStopSwitch(options: Options): StopSwitch {
  const { dataDir, variable, onChange, clock, log, lookMs = LOOK_MS } = options;
  const file = join(dataDir, STOP_FILE);
  const given = variable === undefined || variable.trim() === "" ? null : variable;
  let fileText: string | null = null;
  let readError: string | null = null;
  let current: StopEnforcing | null = null;
  let error: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      fileText = await readFile(file, "utf8");
      readError = null;
    } catch (cause) {
      const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      if (isAbsent) fileText = null;
      // It is there, so somebody wants out; what it held last goes on.
      readError = isAbsent ? null : `${file} cannot be read: ${String(cause)}`;
    } finally {
      isLooking = false;
    }
    settle();
  }

  function settle(): void {
    const said = [
      ...(given === null ? [] : [{ by: "variable" as const, ...readStoppedRules(given) }]),
      ...(fileText === null ? [] : [{ by: "file" as const, ...readStoppedRules(fileText) }]),
    ];
    const wrong = said.flatMap((each) => each.wrong);
    const rules = [...new Set(said.flatMap((each) => each.rules))].sort();
    const by = said.filter((each) => each.rules.length > 0).map((each) => each.by);
    const isSame =
      JSON.stringify([rules, by]) === JSON.stringify([current?.rules ?? [], current?.by ?? []]);
    const message =
      readError ??
      (wrong.length === 0
        ? null
        : `stop-enforcing takes all or ids of rules, got ${wrong.slice(0, 3).join(", ")}`);
    if (message !== error && message !== null) log.error({ reason: message }, "stop-enforcing");
    error = message;
    if (isSame) return;
    current = rules.length === 0 ? null : { rules, by, sinceMs: clock.nowMs() };
    if (current === null) log.warn({}, "rules are enforced as published again");
    else log.warn({ rules, by }, "enforcing is stopped here: these rules are in shadow");
    onChange();
  }

  return {
    current: () => current,
    error: () => error,
    start: async () => {
      await look();
      timer = setInterval(() => void look(), lookMs);
      timer.unref();
    },
    close: () => clearInterval(timer),
  };
}
