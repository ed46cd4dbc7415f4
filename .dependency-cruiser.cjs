// Which way the arrows point (docs/architecture.md): core <- limiter, db, redis <- agent, control <- gateway, ingest <- app, cli <- bin.

const inTests = "\\.test\\.tsx?$|^e2e/|^bench/|^lib/testing/|store-contract\\.ts$";
/** Leaves that every part may import. */
const leaves = ["^lib/log\\.ts$", "^lib/clock\\.ts$"];

/**
 * @param {string} name
 * @param {string} folder
 * @param {string[]} allowed
 */
function only(name, folder, allowed) {
  return {
    name,
    severity: "error",
    comment: `${folder} may import only ${allowed.join(", ")}`,
    from: { path: folder, pathNot: inTests },
    to: {
      path: "^(app|components|lib|bin|scripts|bench|e2e)/",
      pathNot: [folder, ...leaves, ...allowed],
    },
  };
}

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "resolvable",
      severity: "error",
      comment: "an import that resolves to nothing would escape every other rule",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "core-is-pure",
      severity: "error",
      comment:
        "core runs in a browser: no I/O, and of packages only zod, ipaddr.js, @noble/hashes, yaml",
      from: { path: "^lib/core/", pathNot: inTests },
      to: {
        pathNot: ["^lib/core/", "^node_modules/(zod|ipaddr\\.js|@noble/hashes|yaml)/"],
      },
    },
    only("limiter", "^lib/limiter/", ["^lib/core/"]),
    only("redis", "^lib/redis/", ["^lib/core/"]),
    only("db", "^lib/db/", ["^lib/core/"]),
    only("config", "^lib/config/", ["^lib/core/"]),
    only("agent", "^lib/agent/", ["^lib/core/", "^lib/limiter/", "^lib/redis/"]),
    only("control", "^lib/control/", ["^lib/core/", "^lib/db/", "^lib/redis/"]),
    only("gateway", "^lib/gateway/", ["^lib/core/", "^lib/limiter/", "^lib/agent/"]),
    only("ingest", "^lib/ingest/", ["^lib/core/", "^lib/control/", "^lib/db/", "^lib/redis/"]),
    only("cli", "^lib/cli/", ["^lib/core/", "^lib/config/"]),
    only("components", "^components/", ["^lib/core/"]),
    only("app", "^app/", ["^lib/control/", "^lib/core/", "^components/", "^lib/config/"]),
    only("leaves", "^lib/(log|clock)\\.ts$", []),
    only("scripts", "^scripts/", []),
    {
      name: "app-never-reaches-limiter",
      severity: "error",
      comment: "a Lua file beside its module cannot be read from inside a Next build",
      from: { path: "^(app|components)/" },
      to: { path: "^lib/(limiter|agent|gateway)/", reachable: true },
    },
    {
      name: "gateways-never-reach-postgres",
      severity: "error",
      from: { path: "^lib/(limiter|agent|gateway|cli)/|^bin/gateway\\.ts$", pathNot: inTests },
      to: { path: "^lib/db/|^node_modules/(@prisma/|pg/)", reachable: true },
    },
    {
      name: "only-db-imports-prisma",
      severity: "error",
      from: { pathNot: ["^lib/db/", "^prisma\\.config\\.ts$", "^lib/testing/", inTests] },
      to: { path: "^node_modules/(@prisma/|prisma/)|^lib/db/generated/" },
    },
    {
      name: "only-redis-and-limiter-import-ioredis",
      severity: "error",
      comment: "lib/redis creates the clients; others may name their types",
      from: { pathNot: ["^lib/redis/", "^lib/limiter/", inTests] },
      to: { path: "^node_modules/ioredis/" },
    },
    {
      name: "testing-is-for-tests",
      severity: "error",
      from: { pathNot: [inTests, "^(vitest|playwright)\\.config\\.ts$"] },
      to: { path: "^lib/testing/" },
    },
    {
      name: "scripts-use-built-ins-only",
      severity: "error",
      comment: "they run before anything is installed; esbuild is loaded after that",
      from: { path: "^scripts/", pathNot: ["^scripts/boundaries\\.mjs$", inTests] },
      to: {
        dependencyTypesNot: ["core", "local"],
        pathNot: ["^scripts/", "^node_modules/esbuild/"],
      },
    },
  ],
  options: {
    // TypeScript 7 has no parser that dependency-cruiser can use: without swc it silently sees no module.
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.next/|^dist/|^lib/db/generated/" },
  },
};
