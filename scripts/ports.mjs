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
