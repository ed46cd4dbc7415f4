// Finds taken ports before anything is started. Built-ins only.
import { createServer } from "node:net";

/**
 * @param {{ host: string, wanted: { port: number, what: string, variable: string }[] }} options
 * @returns {Promise<string[]>} a sentence for each port that cannot be used
 */
export async function portProblems({ host, wanted }) {
  const problems = await Promise.all(
    wanted.map(async ({ port, what, variable }) => {
      const code = await listenError(host, port);
      if (code === undefined) return [];
      if (code === "EADDRINUSE") {
        return [
          `port ${port} (${what}) is taken: stop what listens there, or set ${variable} to another`,
        ];
      }
      if (code === "EACCES") {
        return [
          `port ${port} (${what}) is not allowed for this user: set ${variable} to one above 1023`,
        ];
      }
      return [
        `port ${port} (${what}) cannot be opened on ${host} (${code}): see ${variable} and HEADGATE_HOST`,
      ];
    }),
  );
  return problems.flat();
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>}
 */
async function listenError(host, port) {
  // A browser tries ::1 first for `localhost`: another server there would answer in our place.
  const beside = host === "127.0.0.1" ? await tryListen("::1", port) : undefined;
  return (await tryListen(host, port)) ?? (beside === "EADDRINUSE" ? beside : undefined);
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>}
 */
function tryListen(host, port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Below what systems hand out by themselves, so that nobody's outgoing connection takes one before it is listened on. */
const FIRST_FREE = 10_000;
const BLOCKS = 11;
const BLOCK = 1_000;
/** Of processes that choose at the same time, each begins elsewhere. */
const APART = 37;
let chosen = 0;

/**
 * A port that nothing listens on, nor on the one 1,000 higher (a gateway's admin port). It is not held: this process
 * chooses it no second time, and another one hardly does.
 * @param {readonly number[]} [kept] ports that are free at this moment and meant for others
 * @returns {Promise<number>}
 */
export async function freePort(kept = []) {
  for (let tried = 0; tried < BLOCKS * BLOCK; tried += 1) {
    const at = (process.pid * APART + chosen) % (BLOCKS * BLOCK);
    chosen += 1;
    // Every second block: the others are for admin ports.
    const port = FIRST_FREE + Math.floor(at / BLOCK) * 2 * BLOCK + (at % BLOCK);
    const both = [port, port + BLOCK];
    if (both.some((one) => kept.includes(one))) continue;
    const errors = await Promise.all(both.map((one) => listenError("127.0.0.1", one)));
    if (errors.every((error) => error === undefined)) return port;
  }
  throw new Error(`no port of ${FIRST_FREE}..${FIRST_FREE + 2 * BLOCKS * BLOCK} is free`);
}
