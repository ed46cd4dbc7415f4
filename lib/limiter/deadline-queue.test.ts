import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { SystemClock } from "@/lib/clock";
import { createDeadlineQueue } from "./deadline-queue";

const clock = new SystemClock();

function item(inMs: number) {
  let resolve: (late: number) => void = () => {};
  const overdue = new Promise<number>((done) => {
    resolve = done;
  });
  return { deadlineMs: clock.monotonicMs() + inMs, isSettled: false, overdue, resolve };
}

const open = () =>
  createDeadlineQueue<ReturnType<typeof item>>({
    clock,
    onOverdue: (each) => {
      each.isSettled = true;
      each.resolve(clock.monotonicMs() - each.deadlineMs);
    },
  });

test("each item comes up once, when its deadline has passed and not before", async () => {
  const queue = open();
  const first = item(5);
  queue.push(first);
  const second = item(20);
  queue.push(second);
  expect(await first.overdue).toBeGreaterThanOrEqual(0);
  expect(second.isSettled).toBe(false);
  expect(await second.overdue).toBeGreaterThanOrEqual(0);
});

test("a settled item never comes up, and holds nobody back", async () => {
  const queue = open();
  const settled = Array.from({ length: 3000 }, () => item(5));
  for (const each of settled) queue.push(each);
  for (const each of settled) each.isSettled = true;
  let isCalled = false;
  void Promise.race(settled.map(({ overdue }) => overdue)).then(() => {
    isCalled = true;
  });
  const last = item(5);
  queue.push(last);
  await last.overdue;
  expect(isCalled).toBe(false);
});

test("after a blocked event loop sockets are read before anything is overdue", async () => {
  const queue = open();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const client = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
  const [peer] = (await once(server, "connection")) as [Socket];
  const answered = item(5);
  queue.push(answered);
  const wasInTime = once(client, "data").then(() => {
    const inTime = !answered.isSettled;
    answered.isSettled = true;
    return inTime;
  });
  peer.write("answer");
  const until = clock.monotonicMs() + 30;
  while (clock.monotonicMs() < until);
  expect(await wasInTime).toBe(true);
  client.destroy();
  peer.destroy();
  server.close();
});

test("draining takes what is not settled, and nothing comes up later", () => {
  const queue = open();
  const [a, b] = [item(5), item(5)];
  queue.push(a);
  queue.push(b);
  a.isSettled = true;
  expect(queue.drain()).toEqual([b]);
  expect(queue.drain()).toEqual([]);
});
