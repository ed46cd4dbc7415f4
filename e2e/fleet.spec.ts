import { z } from "zod";
import { waitFor } from "../lib/testing/wait-for";
import { cuttableLine } from "./cut-line";
import { expect, test, wholePage } from "./fixtures";

const AlertsSchema = z.object({ open: z.int() });

test("Redis hangs: a banner on every page and an alert's row within 2 s; both go by themselves", async ({
  signedIn: page,
  context,
  api,
  stack,
}) => {
  test.setTimeout(120_000);
  const openAlerts = async () => AlertsSchema.parse((await api("GET", "/alerts")).body).open;
  await waitFor(async () => (await openAlerts()) === 0, { timeoutMs: 30_000, what: "no alert" });
  const paths = ["/alerts", "/rules", "/gateways"];
  const others = await Promise.all(paths.slice(1).map(() => context.newPage()));
  const pages = [page, ...others.map(wholePage)];
  for (const [i, path] of paths.entries()) await pages[i]?.goto(path);
  await expect(page.getByRole("heading", { name: "Nothing is open" })).toBeVisible();

  // Gateways notice with the next request that they check.
  let isOver = false;
  const traffic = (async () => {
    while (!isOver) {
      for (const { url } of stack.gateways)
        await fetch(`${url}/v1/messages`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const banner = /limits? by (its|their) own share|Redis does not answer/;
  try {
    process.kill(stack.redisPid, "SIGSTOP");
    const began = performance.now();
    await waitFor(async () => (await openAlerts()) > 0, { timeoutMs: 10_000, what: "an alert" });
    expect(performance.now() - began).toBeLessThan(2_000);
    const row = page.getByRole("list", { name: "Open alerts" }).getByRole("listitem").first();
    await expect(row).toBeVisible();
    for (const each of pages)
      await expect(each.getByRole("alert").filter({ hasText: banner }).first()).toBeVisible();

    await page
      .getByRole("button", { name: /^Acknowledge/ })
      .first()
      .click();
    await expect(page.getByText(/looks after it since/).first()).toBeVisible();
    process.kill(stack.redisPid, "SIGCONT");
    await waitFor(async () => (await openAlerts()) === 0, { timeoutMs: 30_000, what: "no alert" });
  } finally {
    process.kill(stack.redisPid, "SIGCONT");
    isOver = true;
    await traffic;
  }
  for (const each of pages)
    await expect(each.getByRole("alert").filter({ hasText: banner })).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Nothing is open" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Resolved alerts" })).toBeVisible();
});

test("the fleet page says which gateway runs what, and how to ask it oneself", async ({
  signedIn: page,
  stack,
}) => {
  await page.goto("/gateways");
  await expect(page.getByText(/^2 of 2 live on v\d+/)).toBeVisible();
  const rows = page.getByRole("table", { name: "Gateways" }).locator("tbody tr");
  await expect(rows).toHaveCount(stack.gateways.length);
  await page
    .getByRole("button", { name: /^Details of/ })
    .first()
    .click();
  const command = await page.getByRole("dialog").locator("code").first().textContent();
  const ports = stack.gateways.map(({ adminUrl }) => new URL(adminUrl).port);
  expect(ports).toContain(/:(\d+)\/status$/.exec(command ?? "")?.[1]);
});

test("a page that no longer hears of what happens says so, and that it does again", async ({
  signedIn: page,
  stack,
}) => {
  const line = await cuttableLine(stack.consoleUrl);
  const opened = page.waitForResponse((response) => new URL(response.url()).pathname === "/live");
  await page.goto(`${line.url}/gateways`);
  await opened;
  const lost = page.getByRole("alert").filter({ hasText: "The console does not answer" });
  const again = page.getByText("The console answers again");
  await expect(lost).toHaveCount(0);
  await line.cut();
  await expect(lost).toBeVisible();
  await expect(lost).toContainText(/as it was at \d\d:\d\d:\d\d UTC/);
  await line.mend();
  await expect(again).toBeVisible();
  await expect(lost).toHaveCount(0);
  await expect(page.getByText(/^2 of 2 live on v\d+/)).toBeVisible();
  await expect(again).toHaveCount(0);
  await page.goto("about:blank");
  await line.cut();
});
