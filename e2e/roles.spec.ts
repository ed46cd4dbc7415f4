import { randomUUID } from "node:crypto";
import { hashPassword } from "better-auth/crypto";
import { Client } from "pg";
import { expect, test } from "./fixtures";

const PASSWORD = "a viewer's own password";

/** The console makes only admins so far, so people of other roles are written where it reads them. */
async function addUser(databaseUrl: string, role: string): Promise<string> {
  const id = randomUUID();
  const email = `${role}-${id.slice(0, 8)}@headgate.test`;
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(
      `INSERT INTO "user" (id, email, name, email_verified, role, updated_at) VALUES ($1, $2, $3, true, $4, now())`,
      [id, email, "Vera", role],
    );
    await database.query(
      `INSERT INTO account (id, account_id, provider_id, user_id, password, updated_at) VALUES ($1, $2, 'credential', $2, $3, now())`,
      [randomUUID(), id, await hashPassword(PASSWORD)],
    );
  } finally {
    await database.end();
  }
  return email;
}

test("a viewer sees everything, and at each button why it is not theirs to press", async ({
  page,
  api,
  stack,
}) => {
  const id = `e2e-roles-${Date.now().toString(36)}`;
  const limit = {
    kind: "rate",
    algorithm: "token-bucket",
    default: { rate: 5, per: "1m", burst: 5 },
  };
  const rule = { id, name: id, countBy: ["ip"], limit, mode: "shadow" };
  await api("POST", "/draft/discard");
  expect((await api("PUT", `/draft/rules/${id}`, rule)).status).toBe(200);
  const { baseVersion } = (await api("GET", "/draft")).body as { baseVersion: number };
  expect((await api("POST", "/publish", { message: id, baseVersion })).status).toBe(201);

  const email = await addUser(stack.databaseUrl, "viewer");
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: /sign in/i }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));

  const refused = async (name: string | RegExp, why: RegExp) => {
    const button = page.getByRole("button", { name }).first();
    await expect(button).toBeDisabled();
    await expect(button).toHaveAttribute("title", why);
    await button.click({ force: true });
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByRole("alertdialog")).toHaveCount(0);
  };
  await page.goto(`/rules?q=${id}`);
  await refused(`Enforce… ${id}`, /Vera \(role viewer\) may not publish.*takes role publisher/);
  await refused("New rule", /may not edit drafts.*role editor/);
  await page.getByRole("button", { name: `More actions for ${id}` }).click();
  for (const name of ["Turn off…", "Roll back…", "Edit"])
    await expect(page.getByRole("menuitem", { name })).toBeDisabled();
  await page.keyboard.press("Escape");
  await page.goto(`/rules/${id}`);
  await refused("Enforce…", /role publisher/);
  await refused("Edit", /role editor/);
  await page.goto(`/rules/${id}/edit`);
  await refused("Save to draft", /role editor/);
  await expect(page.getByText(/may not edit drafts/)).toBeVisible();
  await page.goto("/lists?deny=key:k1");
  await refused("Add to the deny list", /role editor/);
  await page.goto("/versions");
  await refused(
    /^Roll back to here/,
    /may not roll back: that takes role responder, publisher or admin/,
  );
  await page.goto("/plans");
  await refused("New plan", /role editor/);
  await page.goto("/keys");
  await refused("Create key", /may not manage API keys/);
  await page.goto("/keys/tokens");
  await expect(page.getByText(/may not manage API tokens/)).toBeVisible();
});
