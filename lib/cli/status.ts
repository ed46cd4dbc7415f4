import { loadCliConfig } from "../config/config";
import { GatewayListSchema, type GatewayRow } from "../core/api/gateways";
import { HealthSchema } from "../core/api/health";
import { VersionListSchema } from "../core/api/versions";
import { createApiClient } from "./api-client";
import { type Command, EXIT, print, UsageError } from "./command";
import { table } from "./table";

export const statusCommand: Command = {
  name: "status",
  usage: "status [--json]",
  summary: "Console, live version, and what each gateway runs.",
  help: `  --json  print one JSON object

Exit code 1 when the console is unhealthy, a gateway is silent, or not all run the live version.`,
  options: { json: { type: "boolean" } },
  async run({ values, positionals, io }) {
    if (positionals.length > 0) throw new UsageError(`takes no ${JSON.stringify(positionals[0])}`);
    const config = loadCliConfig(io.env);
    const call = createApiClient(config, io.signal);
    const health = await call({ path: "/health", answer: HealthSchema, accept: [503] });
    const [gateways, versions] = await Promise.all([
      call({ path: "/gateways", answer: GatewayListSchema }),
      call({ path: "/versions?limit=1", answer: VersionListSchema }),
    ]);
    const { live, applied, silent, converged } = gateways.convergence;
    const isWell = health.status === "ok" && converged;
    if (values.json === true) {
      print(
        io.stdout,
        JSON.stringify({ health, version: versions.items[0] ?? null, gateways: gateways.items }),
      );
      return isWell ? EXIT.done : EXIT.failed;
    }
    print(
      io.stdout,
      `console   ${config.controlUrl} ${health.status}, Postgres ${health.postgres}, Redis ${health.redis}`,
    );
    const [version] = versions.items;
    if (version !== undefined) {
      const { message, actor, createdAt } = version;
      print(io.stdout, `version   ${version.version} "${message}", ${actor.name}, ${createdAt}`);
    }
    print(
      io.stdout,
      `gateways  applied on ${applied} of ${live} live${silent > 0 ? `, ${silent} silent` : ""}\n`,
    );
    print(
      io.stdout,
      table(["gateway", "state", "version", "mode", "requests/s", "says"], gateways.items.map(row)),
    );
    return isWell ? EXIT.done : EXIT.failed;
  },
};

function row(gateway: GatewayRow): string[] {
  const { refused, error } = gateway;
  const says = refused === null ? (error ?? "") : `refused ${refused.version}: ${refused.reason}`;
  return [
    gateway.id,
    gateway.state,
    gateway.version === null ? "none" : String(gateway.version),
    gateway.mode,
    gateway.requestsPerSecond.toFixed(1),
    says,
  ];
}
