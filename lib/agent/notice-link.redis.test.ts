import { expect, test } from "vitest";
import { createLog } from "../log";
import { connectRedis } from "../redis/connect";
import { addressOf } from "../testing/gateway";
import { startRedis } from "../testing/redis";
import { waitFor } from "../testing/wait-for";
import { watchConnection } from "./connection-watch";
import { openNoticeLink } from "./notice-link";

test("a subscription whose other end is silent is made anew, and whoever compares is told", async () => {
  const server = await startRedis();
  const log = createLog({ name: "test", level: "silent" });
  const address = addressOf(server.url);
  const redis = connectRedis({ address, role: "subscriber", name: "half-open", log });
  const publisher = connectRedis({ address, role: "control", name: "publisher", log });
  let subscribed = 0;
  let closed = 0;
  const notices: unknown[] = [];
  redis.on("close", () => {
    closed += 1;
  });
  const link = openNoticeLink({
    redis,
    channel: "notices",
    onNotice: (notice) => notices.push(notice),
    onSubscribed: () => {
      subscribed += 1;
    },
    log,
  });
  const watch = watchConnection({
    redis,
    what: "subscriber",
    log,
    pingIntervalMs: 50,
    pingDeadlineMs: 100,
  });
  try {
    await waitFor(() => subscribed === 1);
    server.kill("SIGSTOP");
    await waitFor(() => closed > 0);
    server.kill("SIGCONT");
    await waitFor(() => subscribed >= 2);
    await waitFor(() => publisher.status === "ready");
    await publisher.publish("notices", "no notice");
    const notice = { kind: "fleet", live: 2, silent: 0 };
    await publisher.publish("notices", JSON.stringify(notice));
    await waitFor(() => notices.length > 0);
    expect(notices).toEqual([notice]);
  } finally {
    watch.close();
    link.close();
    redis.disconnect();
    publisher.disconnect();
    await server.stop();
  }
});
