import { startGateway } from "./gateway";

// A gateway in a process of its own, for tests that kill it. TEST_GATEWAY has what startGateway takes, as JSON.
const gateway = await startGateway({
  ...JSON.parse(process.env.TEST_GATEWAY ?? "{}"),
  checkDeadlineMs: 1_000,
});
process.send?.({ url: gateway.url, adminUrl: gateway.adminUrl });
