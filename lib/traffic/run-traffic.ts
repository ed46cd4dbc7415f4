import { Agent, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../clock";
import type { Log } from "../log";
import type { Actor, Random, TrafficRequest } from "./actors";
import { createGatewayChoice, type GatewayChoice } from "./gateway-choice";

const ANSWER_MS = 10_000;
const RETRY_AFTER_MAX_S = 60;

type World = {
  choice: GatewayChoice;
  agent: Agent;
  clock: Clock;
  log: Log;
  random: Random;
  signal: AbortSignal;
};
type Options = Omit<World, "choice" | "agent"> & {
  gateways: readonly URL[];
  actors: readonly Actor[];
};
type Answer = { status: number; retryAfterSeconds: number };

/** Sends what the actors ask for until the signal; ends at once then. */
export async function runTraffic({ gateways, actors, ...rest }: Options): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const world: World = { ...rest, agent, choice: createGatewayChoice(gateways) };
  const stop = () => agent.destroy();
  rest.signal.addEventListener("abort", stop, { once: true });
  await Promise.all(actors.map((actor) => act(actor, world)));
}

async function act(actor: Actor, world: World): Promise<void> {
  const { random, signal } = world;
  while (!signal.aborted) {
    const { waitMs, request } = actor.next(random);
    await pause(waitMs, signal);
    const answer = await attempt(actor, request, world);
    if (actor.isPolite && answer?.status === 429)
      await pause(Math.min(RETRY_AFTER_MAX_S, answer.retryAfterSeconds) * 1000, signal);
  }
}

/** Null when no gateway answered: that request is lost, as in life. */
async function attempt(
  actor: Actor,
  request: TrafficRequest,
  world: World,
): Promise<Answer | null> {
  const { choice, clock, log, signal } = world;
  while (!signal.aborted) {
    const chosen = choice.choose(clock.monotonicMs());
    if ("waitMs" in chosen) {
      await pause(chosen.waitMs, signal);
      continue;
    }
    const { gateway } = chosen;
    try {
      const answer = await send({ gateway, actor, request, world });
      if (choice.answered(gateway)) log.info({ gateway: gateway.origin }, "gateway answers again");
      return answer;
    } catch (error) {
      if (signal.aborted) return null;
      if (choice.failed(gateway, clock.monotonicMs()))
        log.warn({ gateway: gateway.origin, error }, "gateway does not answer, trying again later");
      return null;
    }
  }
  return null;
}

type Sending = { gateway: URL; actor: Actor; request: TrafficRequest; world: World };

function send({ gateway, actor, request, world }: Sending): Promise<Answer> {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: gateway.hostname.replace(/^\[|\]$/g, ""),
        port: gateway.port || 80,
        method: request.method,
        path: request.path,
        agent: world.agent,
        timeout: ANSWER_MS,
        signal: world.signal,
        headers: {
          "user-agent": actor.userAgent,
          "x-forwarded-for": actor.address,
          ...(actor.key !== null && { "x-api-key": actor.key }),
          ...(body !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          }),
        },
      },
      (response) => {
        const retryAfterSeconds = Number(response.headers["retry-after"] ?? 0) || 0;
        response.resume();
        response.once("error", reject);
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, retryAfterSeconds }),
        );
      },
    );
    outgoing.once("timeout", () =>
      outgoing.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)),
    );
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
