import { statSync } from "node:fs";
import { benchBacktest } from "./backtest";
import { benchCheck } from "./check";
import { benchDirectory } from "./directory";
import type { Figure } from "./figure";
import { benchHammer } from "./hammer";
import { benchHotKey } from "./hot-key";
import { benchMatch } from "./match";
import { benchMemory } from "./memory";
import { benchPeer } from "./peer";
import { benchPropagation } from "./propagation";
import { benchReports } from "./reports";
import { benchTape } from "./tape";
import { benchWindows } from "./windows";

const BENCHES: Record<string, (logs: readonly string[]) => Promise<Figure[]>> = {
  backtest: benchBacktest,
  check: benchCheck,
  directory: benchDirectory,
  hammer: benchHammer,
  "hot-key": benchHotKey,
  match: benchMatch,
  memory: benchMemory,
  peer: benchPeer,
  propagation: benchPropagation,
  tape: benchTape,
  reports: benchReports,
  windows: benchWindows,
};

const words = process.argv.slice(2);
const asJson = words.includes("--json");
/** Access logs, for benches that take them. */
const logs = words.filter((word) => !Object.hasOwn(BENCHES, word) && isFile(word));
const names = words.filter((word) => word !== "--json" && !logs.includes(word));
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(
    `no bench is called ${unknown.join(", ")}: there are ${Object.keys(BENCHES).join(", ")}`,
  );
  process.exit(2);
}

let isOk = true;
for (const [name, run] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const each of await run(logs)) {
    isOk &&= each.ok;
    console.log(asJson ? JSON.stringify(each) : line(each));
  }
}
process.exit(isOk ? 0 : 1);

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function line({ bench, value, unit, goal, ok }: Figure): string {
  const judged = goal === null ? "" : `  ${ok ? "ok" : "MISSED"} (goal ${goal})`;
  return `${bench.padEnd(40)}${String(value).padStart(9)} ${unit}${judged}`;
}
