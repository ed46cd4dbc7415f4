import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { waitFor } from "./wait-for";

type Heard = { event: string; id: string | null; data: unknown };

/** What a browser's EventSource would hear, until it is closed or cut. */
export function listenTo(url: string, headers: Record<string, string> = {}) {
  const closing = new AbortController();
  const heard: Heard[] = [];
  let isOver = false;
  let status = 0;
  const reading = (async () => {
    const accept = { accept: "text/event-stream" };
    const response = await fetch(url, {
      headers: { ...accept, ...headers },
      signal: closing.signal,
    });
    status = response.status;
    let rest = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const read = parse(block);
        if (read !== null) heard.push(read);
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  return {
    heard,
    status: () => status,
    isOver: () => isOver,
    /** The first event of that name, or one that fits. */
    next: (event: string, fits: (data: unknown) => boolean = () => true): Promise<Heard> =>
      waitFor(() => heard.find((each) => each.event === event && fits(each.data)) ?? false, {
        timeoutMs: 15_000,
        what: `the event ${event}`,
      }),
    close: async () => {
      closing.abort();
      await reading;
    },
  };
}

function parse(block: string): Heard | null {
  const fields = new Map(
    block.split("\n").map((line): [string, string] => {
      const at = line.indexOf(": ");
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const [event, data] = [fields.get("event"), fields.get("data")];
  if (event === undefined || data === undefined) return null;
  return { event, id: fields.get("id") ?? null, data: JSON.parse(data) };
}

/** Serves a route's handler as Next does: its signal aborts when the other end goes. */
export async function serveStream(
  handler: (request: Request) => Promise<Response>,
  port = 0,
): Promise<{ url: string; port: number; kill(): Promise<void> }> {
  const server: Server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      headers,
      signal: gone.signal,
    });
    const answer = await handler(request);
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) outgoing.end();
    else
      await pipeline(Readable.from(answer.body as AsyncIterable<Uint8Array>), outgoing).catch(
        () => {},
      );
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    kill: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A proxy before a port, whose connections can be cut. */
export async function cuttingProxy(
  port: number,
): Promise<{ url: string; cut(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
