import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { portProblems } from "./ports.mjs";
import { freePort } from "./redis.mjs";

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
  );
});

test.each(["127.0.0.1", "0.0.0.0", "::1"])(
  "a port taken on %s is named with its variable",
  async (host) => {
    const taken = await listen(host);
    const free = await freePort();
    const wanted = [
      { port: taken, what: "console", variable: "PORT" },
      { port: free, what: "gateway", variable: "HEADGATE_GATEWAY_PORTS" },
    ];
    expect(await portProblems({ host: "127.0.0.1", wanted })).toEqual([
      `port ${taken} (console) is taken: stop what listens there, or set PORT to another`,
    ]);
  },
);

function listen(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    servers.push(server);
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
