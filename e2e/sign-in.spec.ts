import { z } from "zod";
import { expect, test } from "./fixtures";

const GatewaysSchema = z.object({ items: z.array(z.object({ id: z.string() })) });

test("a page sends a stranger to sign in; a wrong password is told, the right one lets in", async ({
  page,
  stack,
}) => {
  await page.goto("/gateways");
  await expect(page).toHaveURL(/\/sign-in/);

  await page.getByLabel("Email").fill(stack.admin.email);
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert").filter({ hasText: /\S/ })).toBeVisible();
  await expect(page).toHaveURL(/\/sign-in/);

  await page.getByLabel("Password").fill(stack.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).not.toHaveURL(/\/sign-in/);
});

test("who is signed in sees both gateways", async ({ signedIn, api }) => {
  const { items } = GatewaysSchema.parse((await api("GET", "/gateways")).body);
  expect(items).toHaveLength(2);
  await signedIn.goto("/gateways");
  for (const { id } of items) await expect(signedIn.getByText(id).first()).toBeVisible();
});
