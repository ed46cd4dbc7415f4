import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { z } from "zod";
import { tokenBucket } from "../lib/core/bucket";
import { waitFor } from "../lib/testing/wait-for";
import { type Api, expect, test } from "./fixtures";
import { accessLog, expectedRejections, replay, type Worlds } from "./replayed-log";

const newId = () => `ten-per-hour-${Date.now().toString(36)}`;
const rate = { rate: 10, per: "1h", burst: 10 };
const bucket = tokenBucket(rate);
/** 3 heavy, 9 above the limit, 20 below it. */
const arrivals = new Map(
  Array.from({ length: 32 }, (_, i): [string, number] => [
    `198.18.7.${i + 1}`,
    i < 3 ? 60 : i < 12 ? 14 : 4,
  ]),
);
const log = accessLog(arrivals);
const total = [...arrivals.values()].reduce((sum, count) => sum + count, 0);

const RulesSchema = z.object({ items: z.array(z.object({ id: z.string() })) });
const DraftSchema = z.object({ baseVersion: z.int() });
const PublishedSchema = z.object({ version: z.int() });
const ConvergenceSchema = z.object({ converged: z.boolean(), tookMs: z.int().nullable() });

/** The one rule there is, in shadow. */
async function publishOnly(api: Api, rule: string): Promise<number> {
  await api("POST", "/draft/discard");
  const { items } = RulesSchema.parse((await api("GET", "/rules?limit=500")).body);
  for (const { id } of items) await api("DELETE", `/draft/rules/${id}`);
  const saved = await api("PUT", `/draft/rules/${rule}`, {
    name: "Ten an hour per IP",
    countBy: ["ip"],
    limit: { kind: "rate", algorithm: "token-bucket", default: rate },
    mode: "shadow",
  });
  expect(saved.status).toBe(200);
  const { baseVersion } = DraftSchema.parse((await api("GET", "/draft")).body);
  const published = await api("POST", "/publish", {
    message: "ten an hour, in shadow",
    baseVersion,
  });
  expect(published.status).toBe(201);
  return PublishedSchema.parse(published.body).version;
}

/** Every gateway applied it, within a second of the commit. */
async function expectApplied(api: Api, version: number): Promise<void> {
  const { tookMs } = await waitFor(
    async () => {
      const { body } = await api("GET", `/versions/${version}/convergence`);
      const read = ConvergenceSchema.parse(body);
      return read.converged && read;
    },
    { timeoutMs: 10_000, what: `convergence of version ${version}` },
  );
  expect(tookMs).toBeLessThan(1000);
}

async function liveVersion(api: Api): Promise<number> {
  const { body } = await api("GET", "/versions?limit=1");
  return z.object({ current: z.int() }).parse(body).current;
}

async function topClients(page: Page): Promise<Map<string, number>> {
  const rows = page.getByRole("table", { name: "Top clients" }).locator("tbody tr");
  const cells = await rows.evaluateAll((found) =>
    found.map((row) => [
      row.querySelector("th")?.textContent ?? "",
      row.querySelector('[data-label="Would reject"]')?.textContent ?? "",
    ]),
  );
  return new Map(
    cells.map(([client = "", count = ""]) => [
      client.replace(/^ip:/, ""),
      Number(count.replaceAll(",", "")),
    ]),
  );
}

test("a shadow rule's report names exactly whom lib/core names; Enforce refuses them with right headers; Roll back refuses nobody", async ({
  signedIn: page,
  api,
  stack,
}) => {
  test.setTimeout(180_000);
  const gateways = stack.gateways.map(({ url }) => url);
  const worlds: Worlds = new Map();
  const rule = newId();
  const shadowVersion = await publishOnly(api, rule);
  await expectApplied(api, shadowVersion);

  await page.goto(`/rules/${rule}/report?range=15m`);
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(verdict).toContainText(/No (data|request matched)/);

  const first = await replay(log, gateways);
  expect(first).toMatchObject({ sent: total, allowed: total, rejected: 0, failed: 0 });
  const expected = expectedRejections(arrivals, { bucket, seconds: first.seconds, worlds });
  const wanted = [...expected.values()].reduce((sum, count) => sum + count, 0);

  // The page refreshes itself: nobody reloads it.
  await expect(verdict).toContainText(`of ${total} requests in the last 15 min`);
  await expect(verdict).toContainText(`${expected.size} clients`);
  await expect
    .poll(async () => [...(await topClients(page)).keys()].sort())
    .toEqual([...expected.keys()].sort());
  for (const [client, count] of await topClients(page)) {
    expect(Math.abs(count - (expected.get(client) ?? 0)), client).toBeLessThanOrEqual(
      (expected.get(client) ?? 0) * 0.01,
    );
  }
  const said = Number(
    /: ([\d,]+) of/.exec((await verdict.textContent()) ?? "")?.[1]?.replaceAll(",", ""),
  );
  expect(Math.abs(said - wanted)).toBeLessThanOrEqual(wanted * 0.01);

  // One client's figures, by its row; back; and the chip that takes it off, by keyboard.
  const [heavy = ""] = expected.keys();
  const topRow = page.getByRole("table", { name: "Top clients" }).locator("tbody tr");
  const chip = page.getByRole("link", { name: `Take off: client ip:${heavy}`, exact: true });
  await topRow.getByRole("link", { name: `ip:${heavy}`, exact: true }).click();
  await expect(verdict).toContainText(`requests of ip:${heavy} in the last 15 min`);
  await expect(topRow).toHaveCount(1);
  await expect(topRow).toContainText(/at most 1[01] can pass/);
  await page.goBack();
  await expect(verdict).toContainText(`of ${total} requests in the last 15 min`);
  await page.goForward();
  await chip.focus();
  await page.keyboard.press("Enter");
  await expect(verdict).toContainText(`of ${total} requests in the last 15 min`);
  await expect(chip).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Filter", exact: true })).toBeFocused();

  // A filter that fits nothing says which it is, and is cleared by a press.
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  const filters = page.getByRole("dialog");
  await filters.getByLabel("Client").fill(`ip:${heavy}`);
  await filters.getByLabel("Route").fill("/v1/links");
  await expect(filters.getByText("Clients are not counted by route")).toBeVisible();
  await filters.getByLabel("Client").fill("");
  await filters.getByRole("button", { name: "Show these figures" }).click();
  await expect(verdict).toContainText("No request on /v1/links matched this rule");
  await verdict.getByRole("link", { name: "Clear the filters" }).click();
  await expect(verdict).toContainText(`of ${total} requests`);

  // The worst minutes lead to just that time.
  await page.getByTestId("worst").getByRole("link").click();
  await expect(page).toHaveURL(/from=[^&]+&to=/);
  await expect(verdict).toContainText(/between \d\d:\d\d and \d\d:\d\d UTC on/);
  await page.goBack();

  // The figures as a file.
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "These figures as CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(new RegExp(`^headgate-report-${rule}-test-.*\\.csv$`));
  expect(await readFile(await file.path(), "utf8")).toContain(`${rule},shadow,total,`);

  // From the figures of one client to its log.
  await topRow.getByRole("link", { name: `ip:${heavy}`, exact: true }).click();
  await expect(chip).toBeVisible();
  await page.getByRole("link", { name: "Open the log" }).click();
  await expect(page).toHaveURL(new RegExp(`/log\\?.*client=ip%3A${heavy.replaceAll(".", "\\.")}`));
  const logRows = page.getByRole("table", { name: "Rejections" }).locator("tbody tr");
  await expect(logRows.first()).toContainText(`ip:${heavy}`);
  await expect(logRows.filter({ hasNotText: `ip:${heavy}` })).toHaveCount(0);
  // A burst is sampled, and the page says so.
  await expect(page.getByText(/^(A sample: of|Complete: all) \d+ rejections/)).toBeVisible();

  // Enforce, from the rule's own header.
  await page.getByRole("button", { name: /^Enforce/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("seen in shadow");
  const typed = dialog.getByLabel(/^The evidence is thin/);
  await expect(typed).toBeVisible();
  // Whom it hits is told before anything is pressed, and one typed name confirms both.
  await expect(dialog.getByText("First clients hit")).toBeVisible();
  await typed.fill(rule);
  await dialog.getByRole("button", { name: /^Enforce/ }).click();
  const convergence = dialog.getByRole("region", { name: /^Convergence of version/ });
  await expect(convergence).toBeVisible();
  const enforcedVersion = await liveVersion(api);
  expect(enforcedVersion).toBe(shadowVersion + 1);
  await expectApplied(api, enforcedVersion);

  // Counters go on from shadow to enforce.
  const second = await replay(log, gateways);
  const refused = expectedRejections(arrivals, { bucket, seconds: second.seconds, worlds });
  const rejected = [...refused.values()].reduce((sum, count) => sum + count, 0);
  expect(second).toMatchObject({ sent: total, failed: 0 });
  expect(Math.abs(second.rejected - rejected)).toBeLessThanOrEqual(rejected * 0.01);
  for (const gateway of gateways) {
    const answer = await fetch(`${gateway}/v1/messages`, {
      headers: { "x-forwarded-for": heavy },
    });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(answer.headers.get("x-ratelimit-limit")).toBe("10");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("0");
    const wait = Number(answer.headers.get("retry-after"));
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(360);
    expect(await answer.json()).toMatchObject({ rule, version: enforcedVersion });
  }

  // Back, from the list of versions: the diff first, then one press.
  await page.goto("/versions");
  await page
    .getByRole("button", { name: `Roll back to here: version ${shadowVersion}`, exact: true })
    .click();
  const back = page.getByRole("dialog");
  await expect(back).toContainText(
    `Will become v${enforcedVersion + 1} = content of v${shadowVersion}`,
  );
  await expect(back.getByRole("list", { name: "Rules that change mode" })).toContainText(
    "will stop refusing requests",
  );
  await back
    .getByRole("button", { name: new RegExp(`^Roll back to v${shadowVersion}`) })
    .dblclick();
  await expect(back.getByRole("region", { name: /^Convergence of version/ })).toContainText(
    `v${enforcedVersion + 1} applied on 2 of 2`,
  );
  expect(await liveVersion(api)).toBe(enforcedVersion + 1);
  await expectApplied(api, enforcedVersion + 1);
  expect(await replay(log, gateways)).toMatchObject({ allowed: total, rejected: 0, failed: 0 });
});

test("a report without data says what is missing, never that nothing would be rejected", async ({
  signedIn: page,
  api,
}) => {
  const rule = newId();
  await publishOnly(api, rule);
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  await page.goto(`/rules/${rule}/report?from=${day}T00:00:00Z&to=${day}T01:00:00Z`);
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(verdict).toContainText(`No data between 00:00 and 01:00 UTC on ${day}`);
  await expect(verdict).toContainText("This does not mean that nothing would be rejected");
  await page.goto(`/rules/${rule}/report?from=yesterday`);
  await expect(page.getByText(/from must be an instant such as .* got "yesterday"/)).toBeVisible();
});
