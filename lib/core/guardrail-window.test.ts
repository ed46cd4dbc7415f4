import { expect, test } from "vitest";
import { type Look, trailingWindow } from "./guardrail-window";

const HOUR_MS = 3_600_000;

/** A look each 3 s at a steady rate; the rejected share by the time since the start. */
function watch(
  forMs: number,
  { perSecond, shareAt }: { perSecond: number; shareAt: (ms: number) => number },
  minRequests = 100,
) {
  let looks: Look[] = [{ atMs: 0, requests: 0, rejections: 0 }];
  let now = looks[0] ?? { atMs: 0, requests: 0, rejections: 0 };
  let window = trailingWindow(looks, now, { minRequests });
  for (let atMs = 3000; atMs <= forMs; atMs += 3000) {
    const requests = 3 * perSecond;
    now = {
      atMs,
      requests: now.requests + requests,
      rejections: now.rejections + requests * shareAt(atMs),
    };
    window = trailingWindow(looks, now, { minRequests });
    looks = window.looks;
  }
  return window;
}

test("an hour without a rejection does not hide half a bad minute", () => {
  const share = (ms: number) => (ms > HOUR_MS - 30_000 ? 0.5 : 0);
  const { requests, rejections, seconds } = watch(HOUR_MS, { perSecond: 50, shareAt: share });
  expect(rejections / requests).toBe(0.5);
  expect(seconds).toBeGreaterThanOrEqual(10);
  expect(seconds).toBeLessThanOrEqual(13);
});

test("a quiet rule is judged on as long as holds the requests that are needed", () => {
  const { requests, seconds } = watch(HOUR_MS, { perSecond: 1, shareAt: () => 0 });
  expect(requests).toBeGreaterThanOrEqual(100);
  expect(seconds).toBeLessThanOrEqual(103);
});

test("until there are enough, the window is all that was watched", () => {
  const { requests, seconds } = watch(60_000, { perSecond: 1, shareAt: () => 0 });
  expect({ requests, seconds }).toEqual({ requests: 60, seconds: 60 });
});

test("looks do not grow without bound while requests are too few", () => {
  const { looks, seconds } = watch(24 * HOUR_MS, { perSecond: 1, shareAt: () => 0 }, 1_000_000_000);
  expect(looks.length).toBeLessThanOrEqual(400);
  expect(seconds).toBe(24 * 3600);
});
