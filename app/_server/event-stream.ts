import { createHash } from "node:crypto";
import type { Control } from "@/lib/control";
import { AppError } from "@/lib/core/errors";
import { openStreams } from "./open-streams";

/** What changes without a commit, such as a gateway falling silent, is seen this late; a session that ended, too. */
const LOOK_MS = 2_500;
/** Changes that come together are read once. */
const GATHER_MS = 100;
/** Tells both ends that the connection is alive, and keeps proxies from closing it. */
const BEAT_MS = 5_000;
/** Unread events of one that does not take them; then it is let go and may come back. */
const UNREAD_MAX = 100;
const RETRY_MS = 1_000;

type Source<T> = {
  request: Request;
  control: Control;
  /** Whose connections are counted together. */
  owner: string;
  /** Reads the present state, as whom the request shows: throws `unauthenticated` once that is over. */
  read(): Promise<T>;
  /** Read already. */
  first?: T;
  /** Nothing comes after this. */
  isLast?(value: T): boolean;
};

type StreamEnd = "done" | "signed out" | "busy" | "stopping";

/**
 * Server-Sent Events of a state that is read again at each change: `state` when it differs from what the other end has
 * (`id` names it, over restarts and replicas), `change` when something else changed, `trouble` when it cannot be
 * read, `beat`, and `end` with the reason.
 */
export function eventStream<T>(source: Source<T>): Response {
  const ending = new AbortController();
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void follow(source, outlet(controller, ending), ending),
      cancel: () => ending.abort(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      // A compressing proxy, or Next itself, would hold events back.
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

type Outlet = ReturnType<typeof outlet>;

function outlet(controller: ReadableStreamDefaultController<Uint8Array>, ending: AbortController) {
  const encoder = new TextEncoder();
  let wroteAtMs = performance.now();
  const write = (text: string) => {
    if (ending.signal.aborted) return;
    if ((controller.desiredSize ?? 0) < -UNREAD_MAX) return ending.abort();
    controller.enqueue(encoder.encode(text));
    wroteAtMs = performance.now();
  };
  return {
    write,
    event: (event: string, data: unknown, id?: string) =>
      write(
        `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
      ),
    quietMs: () => performance.now() - wroteAtMs,
    close: () => {
      // Whoever cancelled has closed it.
      if (!ending.signal.aborted) controller.close();
      ending.abort();
    },
  };
}

async function follow<T>(source: Source<T>, out: Outlet, ending: AbortController): Promise<void> {
  const { request, control, owner } = source;
  const wake = createBell(ending.signal);
  const stop = () => {
    out.event("end", { reason: "stopping" satisfies StreamEnd });
    out.close();
  };
  request.signal.addEventListener("abort", () => ending.abort(), { once: true });
  const leave = openStreams.enter({ owner, stop });
  const unsubscribe = leave === null ? () => {} : control.changes().subscribe(wake.ring);
  out.write(`retry: ${RETRY_MS}\n\n`);
  try {
    const turn = createTurns(source, out);
    let reason = await turn({ isTold: true });
    while (leave !== null && reason === null && !ending.signal.aborted) {
      const isTold = await wake.wait(LOOK_MS);
      if (isTold) await wake.rest(GATHER_MS);
      if (ending.signal.aborted) break;
      reason = await turn({ isTold: isTold || wake.take() });
      if (out.quietMs() > BEAT_MS) out.event("beat", { atMs: control.clock.nowMs() });
    }
    out.event("end", { reason: reason ?? ("busy" satisfies StreamEnd) });
  } finally {
    unsubscribe();
    leave?.();
    out.close();
  }
}

/** Reads once, and tells what is news. Why it was the last time, or null. */
function createTurns<T>({ request, control, read, first, isLast }: Source<T>, out: Outlet) {
  let known = lastEventId(request);
  let pending = first;
  let trouble: string | null = null;
  return async ({ isTold }: { isTold: boolean }): Promise<StreamEnd | null> => {
    try {
      const value = pending ?? (await read());
      pending = undefined;
      const id = tagOf(value);
      if (id !== known || trouble !== null) out.event("state", value, id);
      else if (isTold) out.event("change", {});
      known = id;
      trouble = null;
      return isLast?.(value) === true ? "done" : null;
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthenticated") return "signed out";
      const told =
        error instanceof AppError && error.code !== "internal"
          ? error.message
          : "something failed that should not: the console's log has it";
      if (told !== trouble) {
        control.log.warn({ error }, "an event stream cannot read its state");
        out.event("trouble", { detail: told });
      }
      trouble = told;
      return null;
    }
  };
}

function tagOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}

/** A browser that opens the stream anew itself cannot set the header. */
function lastEventId(request: Request): string | null {
  return request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("last");
}

/** Rung between two waits, it is heard by the next one. */
function createBell(signal: AbortSignal) {
  let isRung = false;
  let answer = () => {};
  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end);
      answer = end;
      if (signal.aborted) end();
    });
  const take = () => {
    const was = isRung;
    isRung = false;
    return was;
  };
  return {
    ring: () => {
      isRung = true;
      answer();
    },
    take,
    /** True when it was rung. */
    wait: async (ms: number): Promise<boolean> => {
      if (!isRung) await rest(ms);
      return take();
    },
    /** In full: who rings meanwhile waits. */
    rest: async (ms: number): Promise<void> => {
      await new Promise<void>((resolve) => setTimeout(resolve, ms));
    },
  };
}
