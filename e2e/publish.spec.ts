import { randomUUID } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { hashPassword } from "better-auth/crypto";
import { Client } from "pg";
import { type Api, expect, test, wholePage } from "./fixtures";

const PASSWORD = "a publisher's own password";
const uniqueId = () => `e2e-publish-${randomUUID().slice(0, 8)}`;

async function publishByApi(api: Api, rules: Record<string, object>): Promise<number> {
  await api("POST", "/draft/discard");
  for (const [id, fields] of Object.entries(rules)) {
    const rule = {
      name: id,
      countBy: ["ip"],
      limit: { kind: "rate", algorithm: "token-bucket", default: { rate: 5, per: "1m", burst: 5 } },
      mode: "shadow",
      ...fields,
    };
    expect((await api("PUT", `/draft/rules/${id}`, rule)).status).toBe(200);
  }
  const { baseVersion } = (await api("GET", "/draft")).body as { baseVersion: number };
  const request = { message: "e2e", baseVersion, acknowledgeGaps: true, acknowledgeRadius: true };
  const { status, body } = await api("POST", "/publish", request);
  expect(status).toBe(201);
  return (body as { version: number }).version;
}

/** Somebody else, in a browser of their own. */
async function signInPublisher(
  browser: Browser,
  stack: { databaseUrl: string; consoleUrl: string },
) {
  const id = randomUUID();
  const email = `pat-${id.slice(0, 8)}@headgate.test`;
  const database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
  await database.query(
    `INSERT INTO "user" (id, email, name, email_verified, role, updated_at) VALUES ($1, $2, 'Pat', true, 'publisher', now())`,
    [id, email],
  );
  await database.query(
    `INSERT INTO account (id, account_id, provider_id, user_id, password, updated_at) VALUES ($1, $2, 'credential', $2, $3, now())`,
    [randomUUID(), id, await hashPassword(PASSWORD)],
  );
  await database.end();
  const context = await browser.newContext({ baseURL: stack.consoleUrl });
  const page = wholePage(await context.newPage());
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: /sign in/i }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  return page;
}

/** Changes the text of the whole draft and saves it. */
async function editText(page: Page, id: string, from: string, to: string): Promise<void> {
  await page.goto("/draft/text");
  const area = page.getByLabel("The draft as YAML");
  const text = await area.inputValue();
  const at = text.indexOf(`- id: ${id}\n`);
  expect(at).toBeGreaterThan(0);
  await area.fill(text.slice(0, at) + text.slice(at).replace(from, to));
  await page.getByRole("button", { name: "What would change?" }).click();
  await expect(page.getByText("Saving changes 1 object of your draft")).toBeVisible();
  await page.getByRole("button", { name: "Save in draft" }).click();
  await page.waitForURL(/\/draft$/);
}

async function publishDraft(page: Page, message: string): Promise<void> {
  await page.getByLabel("Message").fill(message);
  await page.getByRole("button", { name: /^Publish v\d+/ }).click();
}

test("two browsers publish from one base: one wins, the other keeps both changes and publishes", async ({
  signedIn: dana,
  browser,
  api,
  stack,
}) => {
  const id = uniqueId();
  await publishByApi(api, { [id]: {} });
  const pat = await signInPublisher(browser, stack);
  await editText(dana, id, `name: ${id}`, "name: Dana's name");
  await editText(pat, id, "rate: 5", "rate: 50");

  await publishDraft(dana, "Dana's name");
  await expect(dana.getByText(/^Published/)).toBeVisible();
  await expect(pat.getByText(/is live; your draft is based on/)).toBeVisible();
  await pat.getByRole("radio", { name: "Keep both" }).click();
  await pat.getByRole("button", { name: /^Rebase onto/ }).click();
  await expect(pat.getByText(/is still live/)).toBeVisible();
  await publishDraft(pat, "Pat's rate");
  await expect(pat.getByText(/^Published/)).toBeVisible();

  const { body } = await api("GET", `/rules/${id}`);
  expect(body).toMatchObject({ rule: { name: "Dana's name", limit: { default: { rate: 50 } } } });
  await pat.context().close();
});

test("one press stops enforcing everything, a banner says so on every page, and one more ends it", async ({
  signedIn: page,
  api,
}) => {
  const id = uniqueId();
  await publishByApi(api, { [id]: { mode: "enforce" } });
  const modeNow = async () => ((await api("GET", `/rules/${id}`)).body as { mode: string }).mode;
  await page.goto("/rules");
  await page.getByRole("button", { name: "Stop enforcing…" }).click();
  await expect(page.getByRole("dialog")).toContainText("enforced rule");
  await page.getByRole("button", { name: /^Stop enforcing in/ }).click();
  await expect(page.getByRole("region", { name: /^Convergence of version/ })).toContainText(
    /applied on \d+ of/,
  );
  expect(await modeNow()).toBe("shadow");
  for (const path of ["/keys", "/gateways", "/stops"]) {
    await page.goto(path);
    await expect(page.getByText(/stopped enforcing everything/).first()).toBeVisible();
  }
  await page.getByRole("button", { name: "Enforce again…" }).first().click();
  await page.getByRole("button", { name: "Enforce again", exact: true }).click();
  await expect(page.getByText(/stopped enforcing everything/)).toHaveCount(0);
  expect(await modeNow()).toBe("enforce");
});

test("a draft is scheduled, waits frozen, and is taken back as a draft", async ({
  signedIn: page,
  api,
}) => {
  const id = uniqueId();
  await publishByApi(api, { [id]: {} });
  await editText(page, id, "rate: 5", "rate: 6");
  await page.getByLabel("Message").fill(`later ${id}`);
  await page.getByRole("checkbox", { name: "Publish at a time" }).click();
  const later = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel("When").fill(later);
  await page.getByRole("button", { name: /^Schedule for/ }).click();
  const list = page.getByRole("list", { name: "Scheduled publishes" });
  await expect(list).toContainText(`later ${id}`);
  await expect(page.getByText("Your draft is empty")).toBeVisible();
  await page.getByRole("button", { name: `Take back later ${id}` }).click();
  await page.getByRole("button", { name: "Take it back" }).click();
  await expect(page.getByRole("region", { name: `rule ${id}` })).toContainText("6 per 1m");
  await expect(list).toHaveCount(0);
  await page
    .getByRole("button", { name: /^Discard/ })
    .first()
    .click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: /^Discard/ })
    .click();
  await expect(page.getByText("Your draft is empty")).toBeVisible();
});
