import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { freePort, portProblems } from "./ports.mjs";

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

test("a free port is chosen once, and neither is it one that is kept nor has an admin port that is taken", async () => {
  const first = await freePort();
  const next = first + 1;
  const busy = first + 2 + 1000;
  await listen("127.0.0.1", busy);
  const chosen = [await freePort([next]), await freePort()];
  expect(chosen).not.toContain(first);
  expect(chosen).not.toContain(next);
  expect(chosen).not.toContain(busy - 1000);
});

function listen(host: string, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    servers.push(server);
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
