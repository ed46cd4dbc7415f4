import type { Page } from "@playwright/test";
import { z } from "zod";
import { drawOf } from "../lib/core/share";
import { waitFor } from "../lib/testing/wait-for";
import { type Api, expect, test } from "./fixtures";
import { enforceOneRule } from "./one-rule";

const KeySchema = z.object({ id: z.string(), key: z.string() });
const RuleSchema = z.object({
  revision: z.int(),
  version: z.int(),
  candidate: z.object({ revision: z.int(), share: z.number() }).nullable(),
});
const ConvergenceSchema = z.object({ converged: z.boolean() });
const SENT = 12;

async function newKey(api: Api, name: string) {
  const { body } = await api("POST", "/keys", { plan: "free", name });
  return KeySchema.parse(body);
}

/** A rule whose tenth of clients holds the first key and not the second. */
function ruleIdFor(chosen: string, other: string): string {
  for (let n = 0; ; n += 1) {
    const id = `tried-${n}`;
    const draws = [chosen, other].map((key) => drawOf(id, `key:${key}`));
    if ((draws[0] ?? 0) < 1_000 && (draws[1] ?? 0) >= 1_000) return id;
  }
}

async function send(url: string, key: string): Promise<Response> {
  const answer = await fetch(`${url}/v1/messages`, { headers: { "x-api-key": key } });
  await answer.body?.cancel();
  return answer;
}

async function expectApplied(api: Api): Promise<void> {
  const { body } = await api("GET", "/versions?limit=1");
  const { current } = z.object({ current: z.int() }).parse(body);
  await waitFor(
    async () =>
      ConvergenceSchema.parse((await api("GET", `/versions/${current}/convergence`)).body)
        .converged,
    { timeoutMs: 10_000, what: `convergence of version ${current}` },
  );
}

/** Fills a dialog that found the evidence thin, and presses its button. */
async function goOn(page: Page, id: string, button: RegExp, reason: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Not enough evidence")).toBeVisible();
  await dialog.getByRole("radio", { name: /No guardrail/ }).click();
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: button }).click();
  await expect(dialog.getByText(`Type ${id}, or wait until`)).toBeVisible();
  await dialog.getByLabel(new RegExp(`Type ${id}`)).fill(id);
  await dialog.getByRole("button", { name: button }).click();
  await expect(dialog.getByText(/applied on 2 of 2 live gateways/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
}

test("an enforced rule is tried beside itself, compared by real traffic, enforced for a tenth, then for all, and its counters go on", async ({
  signedIn: page,
  api,
  stack,
}) => {
  // Some twenty seconds on a machine of its own; many builds beside it make it three times as long.
  test.setTimeout(120_000);
  const chosen = await newKey(api, "of the tenth");
  const other = await newKey(api, "of the rest");
  const id = ruleIdFor(chosen.id, other.id);
  const limit = { default: { rate: 60, per: "1h", burst: 60 } };
  await enforceOneRule(api, { id, limit, message: "sixty an hour" });
  const urls = stack.gateways.map(({ url }) => url);
  for (const url of urls)
    for (const { key } of [chosen, other])
      await waitFor(async () => (await send(url, key)).headers.get("x-ratelimit-limit") === "60", {
        timeoutMs: 15_000,
        what: "the rule and the key at every gateway",
      });

  await page.goto(`/rules/${id}/candidate`);
  await expect(page.getByText("Nothing is tried beside this rule")).toBeVisible();
  await page.getByRole("link", { name: "Edit the rule" }).click();
  await page.waitForURL(/\/edit$/);
  await page.getByLabel("Every other plan: requests").fill("5");
  await expect(page.getByText("was 60 per 1h: 12 times stricter")).toBeVisible();
  await page.getByRole("button", { name: "Try in shadow…" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("is five enough?");
  await page.getByRole("button", { name: /^Try as v/ }).click();
  await page.waitForURL(/\/candidate$/);
  await expect(page.getByText("Nothing was counted yet")).toBeVisible();
  await expectApplied(api);

  // Five pass in the candidate's world, all of them in the live one's.
  for (let n = 0; n < SENT; n += 1)
    for (const { key } of [chosen, other])
      expect((await send(urls[n % 2] ?? "", key)).status).toBe(200);
  const newly = 2 * (SENT - 5);
  const verdict = `Of ${2 * SENT} requests it would refuse ${newly} more.`;
  await expect(page.getByText(verdict)).toBeVisible({ timeout: 15_000 });
  const clients = page.getByRole("table", { name: "By client" });
  await expect(clients.getByRole("row", { name: `key:${chosen.id}` })).toContainText(
    String(SENT - 5),
  );
  await expect(page.getByRole("table", { name: "By plan" })).toContainText(String(newly));

  await page.getByRole("button", { name: "Share…" }).click();
  await page.getByRole("button", { name: "10 %" }).click();
  await goOn(page, id, /^Enforce it for 10 % of clients/, "a tenth first");
  await expect(page.getByText("Enforced for 10 % of clients;")).toBeVisible();
  // Its bucket was empty in shadow, and is that still.
  expect((await send(urls[0] ?? "", chosen.key)).status).toBe(429);
  expect((await send(urls[1] ?? "", other.key)).status).toBe(200);

  await page.getByRole("button", { name: "Promote…" }).click();
  await goOn(page, id, /^Promote as v/, "five are enough");
  await expect(page.getByText("Nothing is tried beside this rule")).toBeVisible();
  for (const url of urls)
    for (const { key } of [chosen, other]) expect((await send(url, key)).status).toBe(429);
  const { body } = await api("GET", `/rules/${id}`);
  expect(RuleSchema.parse(body)).toMatchObject({ revision: 2, candidate: null });
});

test("a ramp shows its next step, is paused and ended by hand, and its steps are taken by the worker", async ({
  signedIn: page,
  api,
}) => {
  const id = "ramped";
  const limit = { default: { rate: 60, per: "1h", burst: 60 } };
  await enforceOneRule(api, { id, limit, message: "sixty an hour" });
  const rule = {
    name: "Requests per key",
    countBy: ["apiKey"],
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      default: { rate: 90, per: "1h", burst: 90 },
    },
  };
  const tried = await api("PUT", `/rules/${id}/candidate`, { rule, reason: "more" });
  expect(tried.status).toBe(201);
  await page.goto(`/rules/${id}/candidate`);
  await page.getByRole("button", { name: "Ramp…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Step 1 held for").fill("1s");
  await dialog.getByLabel("Step 2 held for").fill("1h");
  await dialog.getByLabel("Reason").fill("slowly");
  await dialog.getByRole("button", { name: /^Begin with 1 %/ }).click();
  await expect(dialog.getByText(/applied on 2 of 2 live gateways/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const strip = page.getByRole("region", { name: "Ramp of the candidate" });
  await expect(strip).toContainText("Ramp: 10 % of clients now, then 50 % of clients", {
    timeout: 15_000,
  });
  await strip.getByRole("button", { name: "Pause" }).click();
  await expect(strip).toContainText("Ramp paused at 10 % of clients");
  await strip.getByRole("button", { name: "Go on" }).click();
  await expect(strip).toContainText("Next step at");
  await strip.getByRole("button", { name: "End the ramp" }).click();
  await expect(strip).toContainText("Ramp ended at 10 % of clients");
  const { body } = await api("GET", `/rules/${id}`);
  expect(RuleSchema.parse(body).candidate).toMatchObject({ share: 10 });
});
