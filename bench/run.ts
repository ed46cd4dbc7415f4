import { benchCheck } from "./check";
import type { Figure } from "./figure";
import { benchMatch } from "./match";
import { benchMemory } from "./memory";
import { benchPeer } from "./peer";

const BENCHES: Record<string, () => Promise<Figure[]>> = {
  check: benchCheck,
  match: benchMatch,
  memory: benchMemory,
  peer: benchPeer,
};

const words = process.argv.slice(2);
const asJson = words.includes("--json");
const names = words.filter((word) => word !== "--json");
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
  for (const each of await run()) {
    isOk &&= each.ok;
    console.log(asJson ? JSON.stringify(each) : line(each));
  }
}
process.exit(isOk ? 0 : 1);

function line({ bench, value, unit, goal, ok }: Figure): string {
  const judged = goal === null ? "" : `  ${ok ? "ok" : "MISSED"} (goal ${goal})`;
  return `${bench.padEnd(40)}${String(value).padStart(9)} ${unit}${judged}`;
}
