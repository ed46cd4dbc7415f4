// Checks which way imports point: .dependency-cruiser.cjs holds the rules.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);
process.chdir(root);
mendParser();

const { cruise } = await import("dependency-cruiser");
const { forbidden, options } = require("../.dependency-cruiser.cjs");
const FOLDERS = ["app", "bench", "bin", "components", "e2e", "lib", "scripts"].filter((folder) =>
  existsSync(folder),
);
// Far fewer than there are: a parser that sees nothing also finds nothing wrong.
const MIN_MODULES = 50;

const { output } = await cruise(
  FOLDERS,
  { ...options, ruleSet: { forbidden }, validate: true, outputType: "json" },
  {
    alias: { "@": root.replace(/\/$/, "") },
    extensions: [".ts", ".tsx", ".mjs", ".js", ".json", ".css"],
    exportsFields: ["exports"],
    conditionNames: ["import", "node", "require", "default", "types"],
  },
);
const { modules, summary } = JSON.parse(String(output));
const own = modules.filter(
  (/** @type {{ source: string }} */ { source }) => !source.startsWith("node_modules"),
);
for (const { rule, from, to, via = [], cycle = [] } of summary.violations) {
  const path = [...cycle, ...via].map(({ name }) => name).join(" → ");
  console.error(`${rule.name}: ${from} → ${path || to}`);
}
console.log(`${own.length} modules, ${summary.violations.length} arrows that point the wrong way`);
if (own.length < MIN_MODULES)
  console.error(`only ${own.length} modules were seen: the parser is not at work`);
process.exit(summary.violations.length > 0 || own.length < MIN_MODULES ? 1 : 0);

/**
 * dependency-cruiser 17 gives swc no `tsx` flag, without which it cannot read a component, and does not tell
 * type imports from others: those of packages, such as the type of a Redis client, bind nothing and are left out.
 */
function mendParser() {
  const swc = require("@swc/core");
  const parse = swc.parseFileSync;
  swc.parseFileSync = (/** @type {string} */ file, /** @type {object} */ settings) => {
    const tree = parse(file, { ...settings, tsx: file.endsWith("x") });
    tree.body = tree.body.filter(
      (/** @type {any} */ node) =>
        !(
          node.type === "ImportDeclaration" &&
          node.typeOnly &&
          /^[a-z]|^@[a-z]/.test(node.source.value)
        ),
    );
    return tree;
  };
}
