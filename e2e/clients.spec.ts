import { z } from "zod";
import { waitFor } from "../lib/testing/wait-for";
import { type Api, expect, test } from "./fixtures";
import { joinAs } from "./join";
import { enforceOneRule, publishDraft } from "./one-rule";

const RULE = "per-key-lookup";
const KeySchema = z.object({ id: z.string(), key: z.string(), prefix: z.string() });

/** 3 an hour for each key, unlimited for enterprise. */
const ONE_RULE = {
  id: RULE,
  limit: { perPlan: { enterprise: "unlimited" }, default: { rate: 3, per: "1h", burst: 3 } },
  message: "one rule for the lookup",
};

// Others ask for limits of their own, beside which this one would bind.
test.afterEach(async ({ api }) => {
  await api("POST", "/draft/discard");
  await api("DELETE", `/draft/rules/${RULE}`);
  await publishDraft(api, "no rule for the lookup");
});

async function ask(url: string, key: string) {
  const answer = await fetch(`${url}/v1/messages`, { headers: { "x-api-key": key } });
  const text = await answer.text();
  return { status: answer.status, limit: answer.headers.get("x-ratelimit-limit"), text };
}

async function newKey(api: Api, plan: string) {
  const customer = `lookup-${plan}-${Date.now().toString(36)}`;
  const made = await api("POST", "/keys", { plan, customer, name: "Checkout" });
  return { ...KeySchema.parse(made.body), customer };
}

test("one finds out by a request id why it was refused, and gives the client its tokens back", async ({
  signedIn: page,
  api,
  stack,
}) => {
  test.setTimeout(120_000);
  await enforceOneRule(api, ONE_RULE);
  const { key, id, customer } = await newKey(api, "free");
  const urls = stack.gateways.map(({ url }) => url);
  const refused = await waitFor(async () => {
    for (const url of urls) {
      const answer = await ask(url, key);
      if (answer.status === 429 && answer.limit === "3") return answer;
    }
    return null;
  });
  const { requestId } = z.object({ requestId: z.string() }).parse(JSON.parse(refused.text));
  await waitFor(async () => {
    const { body } = await api("GET", `/clients?q=${requestId}`);
    return z.object({ items: z.array(z.unknown()) }).parse(body).items.length > 0;
  });

  await page.goto("/clients");
  await page.getByRole("searchbox", { name: /request id/ }).fill(requestId);
  await page.getByRole("link", { name: `key:${id}` }).click();
  const answer = page.getByTestId("client-answer");
  await expect(answer).toContainText("free plan, 3 per 1h per API key");
  await expect(answer).toContainText(/refused at .* UTC/);
  const buckets = page.getByRole("table", { name: "Live buckets" });
  await expect(buckets).toContainText("0 of 3");
  await expect(page.getByRole("table", { name: "Rules tried" })).toContainText("every request");
  await expect(page.getByRole("link", { name: customer })).toBeVisible();

  await page.getByRole("button", { name: "Reset counters" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog.getByRole("button", { name: "Reset counters" })).toBeDisabled();
  await dialog.getByLabel("Reason").fill("ticket 4711");
  await dialog.getByRole("button", { name: "Reset counters" }).click();
  await expect(page.getByText(`Reset: ${RULE}`)).toBeVisible();
  await expect(buckets).toContainText("3 of 3");
  for (const url of urls) expect((await ask(url, key)).status).toBe(200);
  await page.goto("/audit");
  await expect(page.getByText(`reset the counters of key:${id}`).first()).toBeVisible();
});

test("support answers by a key's beginning, raises for a day and resets; what it may not do says why", async ({
  browser,
  api,
  stack,
}) => {
  test.setTimeout(120_000);
  await enforceOneRule(api, ONE_RULE);
  const { key, id, prefix, customer } = await newKey(api, "free");
  const urls = stack.gateways.map(({ url }) => url);
  const answers = (limit: string) =>
    waitFor(async () => {
      const got = await Promise.all(urls.map((url) => ask(url, key)));
      return got.every((each) => each.limit === limit) && got;
    });
  await waitFor(async () => (await answers("3")).every(({ status }) => status === 429));

  const page = await joinAs("support", { browser, api, baseURL: stack.consoleUrl, name: "Sue" });
  await page.goto(`/keys?customer=${customer}`);
  const refused = page.getByRole("button", { name: "Revoke key Checkout" });
  await expect(refused).toBeDisabled();
  await expect(refused).toHaveAttribute("title", /Sue \(role support\) may not manage API keys/);
  await expect(page.getByRole("region", { name: "Customer" })).toContainText(customer);
  await page.getByRole("button", { name: "Limits of Checkout" }).click();
  await page.getByRole("menuitem", { name: "Why was it limited?" }).click();
  await expect(page.getByRole("heading", { name: `key:${id}` })).toBeVisible();

  await page.goto("/clients");
  await page.getByRole("searchbox", { name: /^Key/ }).fill(prefix);
  await page.getByRole("link", { name: `key:${id}` }).click();
  const answer = page.getByTestId("client-answer");
  await expect(answer).toContainText(/free plan, 3 per 1h per API key: .*refused at .* UTC/);
  await page.getByRole("button", { name: "Copy for the customer" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(new RegExp(`^key ${prefix}…, request [0-9a-f-]{36}: free plan, `));
  expect(copied).toContain(await answer.textContent());

  const override = page.getByRole("dialog");
  const amount = override.getByLabel("Override: requests");
  await page.getByRole("button", { name: "New override" }).click();
  await override.getByLabel("Reason").fill("ticket 4711");
  await amount.fill("2");
  await override.getByRole("button", { name: "Give the override" }).click();
  await expect(override).toContainText(/may only raise a limit, above what key:\S+ has now/);
  await override.getByRole("combobox", { name: "Expires" }).click();
  await expect(page.getByRole("option", { name: "7 days" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await amount.fill("50");
  await override.getByLabel("Override: burst").fill("50");
  await override.getByRole("button", { name: "Give the override" }).click();
  await expect(override).toBeHidden();
  await answers("50");
  const table = page.getByRole("table", { name: "Overrides" });
  await expect(table).toContainText("3 per 1h → 50 per 1h");

  await page.getByRole("button", { name: "Reset rule Requests per key" }).click();
  const reset = page.getByRole("alertdialog");
  await reset.getByLabel("Reason").fill("ticket 4711");
  await reset.getByRole("button", { name: "Reset counters" }).click();
  await expect(page.getByRole("table", { name: "Live buckets" })).toContainText("50 of 50");
  await waitFor(async () => (await answers("50")).every(({ status }) => status === 200));
  const { body } = await api("GET", `/audit?q=${encodeURIComponent(id)}`);
  const { items } = z.object({ items: z.array(z.object({ sentence: z.string() })) }).parse(body);
  const sentences = items.map(({ sentence }) => sentence).join("\n");
  expect(sentences).toMatch(/Sue .*reset/);
  expect(sentences).toMatch(/Sue .*override/);
  await page.context().close();
});

test("of a client that was not limited it says why not", async ({ signedIn: page, api }) => {
  await enforceOneRule(api, ONE_RULE);
  const { id } = await newKey(api, "enterprise");
  await page.goto(`/clients?client=${encodeURIComponent(`key:${id}`)}`);
  await expect(page.getByTestId("client-answer")).toContainText(
    "not limited: unlimited for plan enterprise",
  );
  await page.goto("/clients?client=key:nobody-has-this");
  await expect(page.getByText("there is no key nobody-has-this")).toBeVisible();
});
