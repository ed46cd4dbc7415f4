import { z } from "zod";
import { waitFor } from "../lib/testing/wait-for";
import { type Api, expect, test } from "./fixtures";
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

test("support finds out by a request id why it was refused, and gives the client its tokens back", async ({
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
