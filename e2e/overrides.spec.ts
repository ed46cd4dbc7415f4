import { z } from "zod";
import { waitFor } from "../lib/testing/wait-for";
import { expect, test } from "./fixtures";
import { enforceOneRule } from "./one-rule";

const RULE = "per-key-overrides";
const KeySchema = z.object({ id: z.string(), key: z.string(), prefix: z.string() });

/** 7 an hour for everybody. */
const ONE_RULE = {
  id: RULE,
  limit: { default: { rate: 7, per: "1h", burst: 7 } },
  message: "one rule for overrides",
};

async function limitOf(url: string, key: string): Promise<string | null> {
  const answer = await fetch(`${url}/v1/messages`, { headers: { "x-api-key": key } });
  await answer.body?.cancel();
  return answer.headers.get("x-ratelimit-limit");
}

test("an override is given by a key's beginning, says what it does, holds on every gateway, and ends", async ({
  signedIn: page,
  api,
  stack,
}) => {
  test.setTimeout(120_000);
  await enforceOneRule(api, ONE_RULE);
  const customer = `launch-${Date.now().toString(36)}`;
  const made = await api("POST", "/keys", { plan: "free", customer, name: "Checkout" });
  const { key, prefix, id } = KeySchema.parse(made.body);
  const everywhere = (limit: string) =>
    waitFor(
      async () =>
        (await Promise.all(stack.gateways.map(({ url }) => limitOf(url, key)))).every(
          (is) => is === limit,
        ),
      { timeoutMs: 5_000, what: `limit ${limit} on every gateway` },
    );
  await everywhere("7");

  await page.goto("/overrides");
  await page.getByRole("button", { name: "New override" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "API key" }).fill(prefix);
  await page.getByRole("option", { name: /Checkout/ }).click();
  await dialog.getByRole("combobox", { name: "Rule" }).click();
  await page.getByRole("option", { name: /Requests per key/ }).click();
  await dialog.getByLabel("Override: requests").fill("3");
  await expect(dialog).toContainText("It may refuse what passes now");
  await dialog.getByLabel("Override: requests").fill("700");
  await dialog.getByLabel("Override: burst").fill("700");
  await expect(dialog).toContainText("Raises: 100 times looser. Is that what you mean?");
  await expect(dialog).toContainText("Plan free gives 7 per 1h, the override gives 700 per 1h");
  await dialog.getByRole("button", { name: "Give the override" }).click();
  await expect(dialog).toContainText("a reason must be written");
  await dialog.getByLabel("Reason").fill("launch week");
  await dialog.getByRole("button", { name: "Give the override" }).dblclick();
  await expect(dialog).toBeHidden();
  await everywhere("700");

  await page.goto(`/overrides?q=${customer}`);
  const row = page.getByRole("table", { name: "Overrides" }).locator("tbody tr");
  await expect(row).toHaveCount(1);
  await expect(row).toContainText("7 per 1h → 700 per 1h");
  await expect(row).toContainText(/in [67] d/);
  await expect(page.getByRole("link", { name: /expiring this week/ })).toBeVisible();

  await row.getByRole("button", { name: /^Change override/ }).click();
  await dialog.getByLabel("Override: requests").fill("70");
  await dialog.getByLabel("Override: burst").fill("70");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText("70 per 1h");
  await everywhere("70");

  const end = row.getByRole("button", { name: /^End override/ });
  await end.focus();
  await page.keyboard.press("Enter");
  const confirm = page.getByRole("alertdialog");
  await expect(confirm).toContainText("70 per 1h becomes 7 per 1h within a second");
  await page.keyboard.press("Escape");
  await expect(end).toBeFocused();
  await page.keyboard.press("Enter");
  await confirm.getByRole("button", { name: "End it now" }).click();
  await expect(page.getByText("No override fits these filters.")).toBeVisible();
  await everywhere("7");

  await page.goto(`/overrides?client=key:${id}&state=ended`);
  await expect(row).toContainText("ended");
  await row.getByRole("link", { name: "Audit" }).click();
  const trail = page.getByRole("list", { name: "Audit log" });
  for (const verb of ["gave", "changed", "ended"]) await expect(trail).toContainText(verb);
});

test("an address is given as gateways count it, and a rule of keys says whom it holds for", async ({
  signedIn: page,
  api,
}) => {
  await enforceOneRule(api, ONE_RULE);
  await page.goto(`/overrides?rule=${RULE}&new=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Address" }).click();
  await dialog.getByLabel("IP address").fill("2001:db8::7");
  await expect(dialog).toContainText("Counted as ip:2001:db8::/64");
  await expect(dialog).toContainText("Every key from there gets 7 per 1h");
  await dialog.getByLabel("IP address").fill("198.51.100.0/24");
  await expect(dialog).toContainText("198.51.100.0/24 is a network");
  await dialog.getByLabel("IP address").fill("198.51.100.400");
  await expect(dialog).toContainText("got 198.51.100.400");
});
