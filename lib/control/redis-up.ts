import type { Control } from "./context";

const PING_MS = 500;

/** Whether Redis answers now; a hung one counts as away. */
export async function isRedisUp({ redis }: Pick<Control, "redis">): Promise<boolean> {
  if (redis.status !== "ready") return false;
  const deadline = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), PING_MS).unref();
  });
  const pong = redis.ping().then(
    () => true,
    () => false,
  );
  return Promise.race([pong, deadline]);
}
