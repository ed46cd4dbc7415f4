import { expect, test } from "./fixtures";

test("the issuer's person signs in by its pages, comes to where they wanted, and stays out once disabled", async ({
  page,
  api,
}) => {
  const enter = async () => {
    await page.goto("/versions");
    await page.getByRole("button", { name: "Company account" }).click();
    await page.getByPlaceholder("Enter any login").fill("eve");
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  };
  await enter();
  await expect(page).toHaveURL(/\/versions$/);
  await page.goto("/profile");
  await expect(page.getByText("eve@issuer.test")).toBeVisible();
  await expect(page.getByText("viewer", { exact: true })).toBeVisible();

  const { items } = (await api("GET", "/people")).body as {
    items: { id: string; email: string }[];
  };
  const eve = items.find(({ email }) => email === "eve@issuer.test");
  expect((await api("PATCH", `/people/${eve?.id}`, { disabled: true })).status).toBe(200);
  await page.goto("/versions");
  await expect(page).toHaveURL(/\/sign-in/);
  await page.context().clearCookies();
  await enter();
  await expect(page.getByText("Your account here is disabled. Ask an admin.")).toBeVisible();
  await api("PATCH", `/people/${eve?.id}`, { disabled: false });
});
