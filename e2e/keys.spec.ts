import type { Page } from "@playwright/test";
import { z } from "zod";
import { waitFor } from "../lib/testing/wait-for";
import { type Api, expect, test } from "./fixtures";

const RULE = "by-plan";
const KeysSchema = z.object({
  total: z.int(),
  items: z.array(z.object({ id: z.string(), name: z.string(), prefix: z.string() })),
});

/** Tells a plan by its limit: free 7, paid 70. */
async function enforceByPlan(api: Api): Promise<void> {
  await api("POST", "/draft/discard");
  const of = (rate: number) => ({ rate, per: "1h", burst: rate });
  await api("PUT", `/draft/rules/${RULE}`, {
    name: "By plan",
    countBy: ["apiKey"],
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      perPlan: { free: of(7), paid: of(70) },
      default: of(1),
    },
    mode: "enforce",
  });
  const { body } = await api("GET", "/draft");
  const { baseVersion } = z.object({ baseVersion: z.int() }).parse(body);
  const message = "limits by plan";
  await api("POST", "/publish", {
    message,
    baseVersion,
    acknowledgeGaps: true,
    acknowledgeRadius: true,
  });
}

async function limitOf(url: string, key: string): Promise<string | null> {
  const answer = await fetch(`${url}/v1/messages`, { headers: { "x-api-key": key } });
  await answer.body?.cancel();
  return answer.headers.get("x-ratelimit-limit");
}

async function createInBrowser(page: Page, customer: string, name: string): Promise<string> {
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Customer").fill(customer);
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create key" }).dblclick();
  await expect(dialog).toContainText("it is shown this once");
  return (await dialog.locator("code").first().textContent()) ?? "";
}

test("a key is made once, shown once, known to gateways with its plan, moved and revoked", async ({
  signedIn: page,
  api,
  stack,
}) => {
  test.setTimeout(120_000);
  await enforceByPlan(api);
  const urls = stack.gateways.map(({ url }) => url);
  const everywhere = (key: string, limit: string | null) =>
    waitFor(
      async () =>
        (await Promise.all(urls.map((url) => limitOf(url, key)))).every((is) => is === limit),
      {
        timeoutMs: 5_000,
        what: `limit ${limit} on every gateway`,
      },
    );
  const customer = `acme-${Date.now().toString(36)}`;
  const key = await createInBrowser(page, customer, "production");
  expect(key).toMatch(/^hg_\w{32}$/);
  const listed = KeysSchema.parse((await api("GET", `/keys?customer=${customer}`)).body);
  expect(listed.total).toBe(1);
  await everywhere(key, "7");

  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.goto(`/keys?customer=${customer}`);
  const row = page.getByRole("table", { name: "API keys" }).locator("tbody tr");
  await expect(row).toHaveCount(1);
  await expect(row).toContainText(key.slice(0, 9));
  expect(await page.content()).not.toContain(key);

  await row.getByRole("button", { name: "Change key production" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("live");
  await dialog.getByLabel("Plan").click();
  await page.getByRole("option", { name: "Paid" }).click();
  await dialog.getByRole("button", { name: "Move customer to paid" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText("live");
  await expect(row).toContainText("Paid");
  await everywhere(key, "70");

  await row.getByRole("button", { name: "Revoke key live" }).click();
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await expect(page.getByText("No key fits these filters.")).toBeVisible();
  await everywhere(key, null);
  await page.goto(`/keys?customer=${customer}&revoked=true`);
  await expect(row).toContainText("revoked");

  const trail = page.getByRole("list", { name: "Audit log" });
  await page.goto(`/audit?object=${listed.items[0]?.id}`);
  for (const verb of ["created", "moved", "revoked"]) await expect(trail).toContainText(verb);
});

test("a customer on another plan is refused at once, with both plans named", async ({
  signedIn: page,
  api,
}) => {
  const customer = `beta-${Date.now().toString(36)}`;
  await api("POST", "/keys", { plan: "paid", customer });
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Customer").fill(customer);
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByRole("alert")).toContainText(`${customer} is on plan paid, got free`);
});

test("an API token is shown once, opens the API, and is shut out once revoked", async ({
  signedIn: page,
  stack,
}) => {
  await page.goto("/keys/tokens");
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog");
  const name = `pipeline ${Date.now().toString(36)}`;
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog).toContainText("it is shown this once");
  const token = (await dialog.locator("code").first().textContent()) ?? "";
  const ask = async () => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${stack.consoleUrl}/api/v1/plans`, { headers })).status;
  };
  expect(await ask()).toBe(200);
  await page.getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("row").filter({ hasText: name });
  await row.getByRole("button", { name: `Revoke token ${name}` }).click();
  await page.getByRole("button", { name: "Revoke the token" }).click();
  await expect(row).toContainText("revoked");
  expect(await ask()).toBe(401);
});

test("a plan in use cannot be deleted; a new one goes live through the draft", async ({
  signedIn: page,
  api,
}) => {
  await api("POST", "/keys", { plan: "free" });
  await page.goto("/plans");
  await page.getByRole("button", { name: "Delete plan Free" }).click();
  await expect(page.getByRole("alertdialog")).toContainText(
    /in use and cannot be deleted: \d+ customer/,
  );
  await expect(page.getByRole("button", { name: "Delete in my draft" })).toBeDisabled();
  await page.keyboard.press("Escape");

  const id = `tier-${Date.now().toString(36)}`;
  await page.getByRole("button", { name: "New plan" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Start up");
  await expect(dialog.getByLabel("Id")).toHaveValue("start-up");
  await dialog.getByLabel("Id").fill("Start up!");
  await dialog.getByRole("button", { name: "Save to draft" }).click();
  await expect(dialog.getByText(/plan id must be .*got "Start up!"/)).toBeVisible();
  await dialog.getByLabel("Name").fill("Startup");
  await dialog.getByLabel("Id").fill(id);
  await dialog.getByRole("button", { name: "Save to draft" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("Your draft changes 1 plan: not live yet")).toBeVisible();
  await page.getByRole("button", { name: "Revert plan Startup in the draft" }).click();
  await expect(page.getByText("Your draft changes")).toHaveCount(0);
});
