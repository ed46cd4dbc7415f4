import { expect, test, wholePage } from "./fixtures";

test("an invited person joins by the link, has the role, and is out when disabled", async ({
  signedIn: page,
  browser,
  stack,
}) => {
  const email = `eve-${Date.now().toString(36)}@headgate.test`;
  await page.goto("/people");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("radio", { name: /editor/ }).click();
  await page.getByRole("button", { name: "Make the link" }).click();
  const link = (await page.getByText(/\/welcome#/).textContent()) ?? "";
  await page.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByText("joins as editor")).toBeVisible();
  await expect(page.getByText(/\/welcome#/)).toHaveCount(0);

  const context = await browser.newContext({ baseURL: stack.consoleUrl });
  const guest = wholePage(await context.newPage());
  const { hash } = new URL(link.trim());
  await guest.goto(`/welcome${hash}`);
  await expect(guest.getByLabel("Email")).toHaveValue(email);
  await guest.getByLabel("Your name").fill("Eve");
  await guest.getByLabel("Password").fill("eve's own password");
  await guest.getByRole("button", { name: "Join" }).click();
  await guest.waitForURL("**/rules");
  await guest.goto("/people");
  await expect(guest.getByText(/may not manage people: that takes role admin/)).toBeVisible();
  await expect(guest.getByRole("button", { name: "Invite" })).toBeDisabled();
  await guest.goto("/profile");
  await expect(guest.getByText("this one")).toBeVisible();
  await guest.getByLabel("Present password").fill("wrong");
  await guest.getByLabel("New password").fill("another password");
  await guest.getByRole("button", { name: "Change password" }).click();
  await expect(guest.getByText("the present password is wrong")).toBeVisible();
  await guest.getByLabel("Present password").fill("eve's own password");
  await guest.getByRole("button", { name: "Change password" }).click();
  await expect(guest.getByText("It holds from now on.")).toBeVisible();

  await page.reload();
  await page.getByRole("button", { name: "Actions for Eve" }).first().click();
  await page.getByRole("menuitem", { name: "Disable…" }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  const row = page.getByRole("row", { name: new RegExp(email) });
  await expect(row.getByText("disabled")).toBeVisible();
  await guest.goto("/rules");
  await expect(guest).toHaveURL(/\/sign-in/);

  const used = wholePage(await context.newPage());
  await used.goto(`/welcome${hash}`);
  await expect(used.getByText(/this link opens nothing/)).toBeVisible();
  await context.close();
});

test("the last admin finds out why they stay", async ({ signedIn: page, stack }) => {
  await page.goto("/people");
  const row = page.getByRole("row", { name: new RegExp(stack.admin.email) });
  await row.getByRole("button", { name: /Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Change role…" }).click();
  await page.getByRole("radio", { name: /viewer/ }).click();
  await page.getByRole("button", { name: "Make a viewer" }).click();
  await expect(page.getByText(/is the last admin/)).toBeVisible();
});
