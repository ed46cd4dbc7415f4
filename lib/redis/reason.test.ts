import { expect, test } from "vitest";
import { reasonOf } from "./reason";

test.each([
  ["Stream isn't writeable and enableOfflineQueue options is false", "Redis is not connected"],
  ["Connection is closed.", "Redis is not connected"],
  [
    'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
    "Redis is not connected",
  ],
  ["Command timed out", "Redis does not answer in time"],
  [
    "Socket timeout. Expecting data, but didn't receive any in 5000ms.",
    "Redis does not answer in time",
  ],
  ["NOAUTH Authentication required.", "NOAUTH Authentication required."],
  ["connect ECONNREFUSED 127.0.0.1:6379", "connect ECONNREFUSED 127.0.0.1:6379"],
])("%s → %s", (message, reason) => {
  expect(reasonOf(new Error(message))).toBe(reason);
});
