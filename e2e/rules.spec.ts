import type { Page } from "@playwright/test";
import { type Api, expect, test, wholePage } from "./fixtures";

let made = 0;
const uniqueId = () => `e2e-${Date.now().toString(36)}-${++made}`;

function shadowRule(id: string, rate = 10) {
  return {
    id,
    name: `Rule ${id}`,
    countBy: ["ip"],
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      default: { rate, per: "1h", burst: rate },
    },
    mode: "shadow",
    meta: { owner: "team-a" },
  };
}

/** Somebody else, through the API: the token has a draft of its own. */
async function publishByApi(api: Api, rule: { id: string }): Promise<number> {
  await api("POST", "/draft/discard");
  expect((await api("PUT", `/draft/rules/${rule.id}`, rule)).status).toBe(200);
  const { body: draft } = await api("GET", "/draft");
  const { baseVersion } = draft as { baseVersion: number };
  const published = await api("POST", "/publish", { message: `by API: ${rule.id}`, baseVersion });
  expect(published.status).toBe(201);
  return (published.body as { version: number }).version;
}

async function discardOwnDraft(page: Page): Promise<void> {
  await page.goto("/draft");
  const discard = page.getByRole("button", { name: "Discard" });
  const isEmpty = page.getByText("Your draft is empty");
  await expect(discard.or(isEmpty)).toBeVisible();
  if (await isEmpty.isVisible()) return;
  await discard.click();
  await page.getByRole("button", { name: "Discard draft" }).click();
  await expect(isEmpty).toBeVisible();
}

async function liveVersion(api: Api): Promise<number> {
  const { body } = await api("GET", "/versions?limit=1");
  return (body as { current: number }).current;
}

test.beforeEach(async ({ signedIn }) => {
  await discardOwnDraft(signedIn);
});

test("a rule goes from a form with errors at the field to every gateway, in shadow", async ({
  signedIn: page,
  api,
  stack,
}) => {
  const id = uniqueId();
  await page.goto("/rules/new");
  await page.getByRole("button", { name: "Save to draft" }).click();
  await expect(page.getByText("name must not be empty")).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();

  await page.getByLabel("Name", { exact: true }).fill(id);
  await expect(page.getByLabel("Id", { exact: true })).toHaveValue(id);
  await page.getByLabel("Every other plan: per").fill("1 fortnight");
  await page.getByRole("button", { name: "Save to draft" }).click();
  await expect(page.getByText(/per must be a duration such as 90s.*fortnight/)).toBeVisible();

  await page.getByLabel("Every other plan: per").fill("1 hour");
  await page.getByLabel("Every other plan: requests").fill("10");
  await page.getByLabel("Every other plan: requests").blur();
  await expect(page.getByText("10 per 1h per client")).toBeVisible();
  await page.getByRole("button", { name: "Save to draft" }).click();

  await expect(page).toHaveURL(/\/draft\?saved=/);
  await expect(page.getByText("1 rule is added.")).toBeVisible();
  const before = await liveVersion(api);
  await page.getByRole("button", { name: /^Publish v/ }).click();
  await expect(page.getByText("Say in a line what this is for.")).toBeVisible();
  await page.getByLabel("Message").fill("first try");
  await page.getByRole("button", { name: /^Publish v/ }).dblclick();

  const gateways = stack.gateways.length;
  await expect(
    page.getByText(`v${before + 1} applied on ${gateways} of ${gateways} live gateways`),
  ).toBeVisible();
  expect(await liveVersion(api)).toBe(before + 1);

  await page.goto(`/rules?q=${id}`);
  const row = page.getByRole("row").filter({ hasText: id });
  await expect(row).toContainText("Shadow");
  await expect(row).toContainText("10 per 1h per client");
  await expect(page.getByText(/^1( of \d+)? rules?$/)).toBeVisible();
});

test("an edit says what it was, keeps keys that the form does not know, and shows its diff", async ({
  signedIn: page,
  api,
}) => {
  const id = uniqueId();
  await publishByApi(api, shadowRule(id, 600));
  await page.goto("/rules/new");
  await page.getByLabel("Name", { exact: true }).fill(id);
  await page.getByRole("button", { name: "Save to draft" }).click();
  await expect(page.getByText(`there is a rule ${id} already`).first()).toBeVisible();

  await page.goto(`/rules/${id}/edit`);
  await page.getByLabel("Every other plan: requests").fill("10");
  await page.getByLabel("Every other plan: requests").blur();
  await expect(page.getByText("was 600 per 1h: 60 times stricter")).toBeVisible();
  await page.getByRole("tab", { name: "YAML" }).click();
  await expect(page.getByLabel("Rule as YAML")).toHaveValue(/owner: team-a/);
  await page.getByRole("button", { name: "Save to draft" }).click();

  const card = page.getByRole("region", { name: `rule ${id}` });
  await expect(card.getByRole("table")).toContainText("60 times stricter");
  await card.getByRole("link", { name: "Edit" }).click();
  await expect(page.getByLabel("Every other plan: requests")).toHaveValue("10");

  await page.goto("/draft");
  await page.getByLabel("Message").fill("stricter");
  await page.getByRole("button", { name: /^Publish v/ }).click();
  await expect(page.getByRole("region", { name: /^Convergence of version/ })).toBeVisible();
  const { body } = await api("GET", `/rules/${id}`);
  expect(body).toMatchObject({
    rule: { meta: { owner: "team-a" }, limit: { default: { rate: 10, burst: 10 } } },
  });
});

test("two saves of one draft rule: the second is shown both and nothing is lost", async ({
  signedIn: page,
  browser,
  api,
}) => {
  const id = uniqueId();
  await publishByApi(api, shadowRule(id));
  const other = await browser.newContext({ storageState: await page.context().storageState() });
  const second = wholePage(await other.newPage());
  const address = new URL(`/rules/${id}/edit`, page.url()).href;
  await Promise.all([page.goto(address), second.goto(address)]);
  await second.getByLabel("Every other plan: requests").fill("30");
  await second.getByLabel("Every other plan: requests").blur();

  await page.getByLabel("Every other plan: requests").fill("20");
  await page.getByLabel("Every other plan: requests").blur();
  await page.getByRole("button", { name: "Save to draft" }).click();
  await expect(page).toHaveURL(/\/draft/);

  await second.getByRole("button", { name: "Save to draft" }).click();
  await expect(second.getByText("Not saved: this rule was saved elsewhere")).toBeVisible();
  const both = second.getByRole("table", { name: "The saved rule and yours" });
  await expect(both).toContainText("20");
  await expect(both).toContainText("30");
  await second.getByRole("button", { name: "Save mine over it" }).click();
  await expect(second).toHaveURL(/\/draft/);
  await expect(second.getByRole("region", { name: `rule ${id}` })).toContainText("30 per 1h");
  await other.close();

  // Back shows today's draft, not the form from before the save.
  await page.goBack();
  await expect(page.getByLabel("Every other plan: requests")).toHaveValue("30");
});

test("a draft on an old base goes live only after a choice for what both sides changed", async ({
  signedIn: page,
  api,
}) => {
  const id = uniqueId();
  await publishByApi(api, shadowRule(id, 10));
  await page.goto(`/rules/${id}/edit`);
  await page.getByLabel("Every other plan: requests").fill("30");
  await page.getByLabel("Every other plan: requests").blur();
  await page.getByRole("button", { name: "Save to draft" }).click();
  await expect(page).toHaveURL(/\/draft/);

  const theirs = await publishByApi(api, shadowRule(id, 20));
  await expect(page.getByText(`published v${theirs}`)).toBeVisible();
  await expect(page.getByText(`v${theirs} is live; your draft is based on`)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Publish v/ })).toBeDisabled();
  const rebase = page.getByRole("button", { name: `Rebase onto v${theirs}` });
  await expect(rebase).toBeDisabled();
  const both = page.getByRole("table", { name: /^Both changes of/ });
  await expect(both.getByRole("row", { name: /limit.default/ })).toContainText(
    /10 per 1h.*20 per 1h.*30 per 1h/,
  );
  await page.getByRole("radio", { name: "Go on with mine" }).click();
  await rebase.click();
  await expect(page.getByText(`Base v${theirs} is still live.`)).toBeVisible();
  await page.getByLabel("Message").fill("mine after all");
  await page.getByRole("button", { name: /^Publish v/ }).click();
  await expect(page.getByRole("region", { name: /^Convergence of version/ })).toBeVisible();
  const { body } = await api("GET", `/rules/${id}`);
  expect(body).toMatchObject({ rule: { limit: { default: { rate: 30 } } } });
});

test("thin evidence holds Enforce back until the rule's name is typed, and Roll back undoes it", async ({
  signedIn: page,
  api,
}) => {
  const id = uniqueId();
  await publishByApi(api, shadowRule(id));
  await page.goto(`/rules/${id}`);
  await page.getByRole("button", { name: "Enforce…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Not enough evidence")).toBeVisible();
  await dialog.getByLabel("Reason").fill("we know this client");
  const enforce = dialog.getByRole("button", { name: /^Enforce as v/ });
  const before = await liveVersion(api);
  await enforce.click();
  await expect(dialog.getByText(`Type ${id}, or wait until the evidence is enough.`)).toBeVisible();
  expect(await liveVersion(api)).toBe(before);
  await dialog.getByLabel(/The evidence is thin/).fill(id);
  await enforce.click();
  await expect(dialog.getByText(/applied on \d of \d live gateways/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Undo" })).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("heading", { level: 1 }).locator("..")).toContainText("Enforced");

  await page.getByRole("button", { name: "Roll back…" }).click();
  await expect(dialog.getByText(/mode enforce → shadow/).first()).toBeVisible();
  await dialog.getByRole("button", { name: /^Roll back to revision 1/ }).click();
  await expect(dialog.getByText(/applied on \d of \d live gateways/)).toBeVisible();
  const { body } = await api("GET", `/rules/${id}`);
  expect(body).toMatchObject({ mode: "shadow", revision: 1 });
});

test("a monthly quota with a time zone by form, and a limit of requests in flight by YAML", async ({
  signedIn: page,
  api,
}) => {
  const [quota, inFlight] = [uniqueId(), uniqueId()];
  await page.goto("/rules/new");
  await page.getByLabel("Name", { exact: true }).fill(quota);
  await page.getByRole("radio", { name: /Quota by the calendar/ }).click();
  const zone = page.getByRole("combobox", { name: "Time zone" });
  await zone.fill("paris");
  await zone.press("ArrowDown");
  await zone.press("Enter");
  await expect(zone).toHaveValue("Europe/Paris");
  await page.getByLabel("Every other plan: requests").fill("10000000000");
  await page.getByLabel("Every other plan: per").fill("1 month");
  await page.getByRole("button", { name: "Save to draft" }).click();
  await expect(
    page.getByText("rate must be a whole number 1..4000000000, got 10000000000"),
  ).toBeVisible();
  await page.getByLabel("Every other plan: requests").fill("3000000000");
  await page.getByLabel("Every other plan: requests").blur();
  const sentence = "3000000000 per calendar month (Europe/Paris) per client";
  await expect(page.getByText(sentence)).toBeVisible();
  await page.getByRole("radio", { name: /At the same time/ }).click();
  await expect(page.getByText("10 at the same time per client")).toBeVisible();
  await page.getByRole("radio", { name: /Quota by the calendar/ }).press("Space");
  await expect(page.getByText(sentence)).toBeVisible();
  await page.getByRole("button", { name: "Save to draft" }).click();
  await expect(page).toHaveURL(/\/draft\?saved=/);

  await page.goto("/rules/new");
  await page.getByRole("tab", { name: "YAML" }).click();
  const limit = "kind: concurrency\n  lease: 1m\n  default: {concurrent: 0}";
  const text = `id: ${inFlight}\nname: ${inFlight}\ncountBy: [apiKey]\nlimit:\n  ${limit}\n`;
  await page.getByLabel("Rule as YAML").fill(text);
  await expect(
    page.getByText("concurrent must be a whole number 1..1000000, got 0").first(),
  ).toBeVisible();
  await page.getByLabel("Rule as YAML").fill(text.replace("concurrent: 0", "concurrent: 2"));
  await page.getByRole("tab", { name: "Form" }).click();
  await expect(page.getByRole("radio", { name: /At the same time/ })).toBeChecked();
  await expect(page.getByLabel("Every other plan: at the same time")).toHaveValue("2");
  await expect(page.getByLabel("Lease")).toHaveValue("1m");
  await page.getByRole("button", { name: "Save to draft" }).click();
  await page.waitForURL(/\/draft\?saved=/);
  await page.getByLabel("Message").fill("a quota, and requests in flight");
  await page.getByRole("button", { name: /^Publish v/ }).click();
  await expect(page.getByRole("region", { name: /^Convergence of version/ })).toBeVisible();
  expect((await api("GET", `/rules/${quota}`)).body).toMatchObject({
    sentence,
    rule: { limit: { timeZone: "Europe/Paris", default: { rate: 3_000_000_000, per: "1mo" } } },
  });
  expect((await api("GET", `/rules/${inFlight}`)).body).toMatchObject({
    sentence: "2 at the same time per API key",
    rule: { limit: { kind: "concurrency", lease: "1m", default: { concurrent: 2 } } },
  });
});
