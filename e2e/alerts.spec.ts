import { expect, test } from "./fixtures";

test("a channel is made, changed, tested with the answer shown, kept from inner addresses, switched off and deleted", async ({
  signedIn: page,
}) => {
  await page.goto("/alerts");
  await page.getByRole("link", { name: "Channels" }).click();
  await page.getByRole("button", { name: "New channel" }).click();
  await page.getByLabel("Name").fill("pager");
  await page.getByLabel("Address").fill("ftp://example.test");
  await page.getByRole("button", { name: "Make the channel" }).click();
  await expect(page.getByText(/url must be an address/)).toBeVisible();
  await page.getByLabel("Address").fill("http://127.0.0.1:9/hook");
  await page.getByRole("button", { name: "Make the channel" }).click();
  await expect(page.getByText(/^whsec_/)).toBeVisible();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByText(/whsec_/)).toHaveCount(0);
  await page.getByRole("button", { name: "Change pager" }).click();
  const form = page.getByRole("dialog");
  await expect(form.getByLabel("Address")).toHaveValue("http://127.0.0.1:9/hook");
  await form.getByLabel("Address").fill("pigeon");
  await form.getByRole("button", { name: "Save the channel" }).click();
  await expect(form.getByText(/url must be an address/)).toBeVisible();
  await form.getByLabel("Address").fill("http://127.0.0.1:9/other");
  await form.getByRole("checkbox", { name: "critical" }).click();
  await form.getByRole("button", { name: "Save the channel" }).click();
  await expect(form).toHaveCount(0);
  const channel = page.getByRole("region", { name: "pager" });
  await expect(channel).toContainText("http://127.0.0.1:9/other");
  await expect(channel).toContainText("critical · every kind");
  await page.getByRole("button", { name: "Send a test to pager" }).click();
  await expect(page.getByText("The test got no answer")).toBeVisible();
  await expect(page.getByText(/HEADGATE_WEBHOOK_ALLOW_PRIVATE/).first()).toBeVisible();
  await page.getByRole("button", { name: "Switch pager off" }).click();
  await expect(page.getByRole("button", { name: "Switch pager on" })).toBeVisible();
  await page.getByRole("button", { name: "Delete pager" }).click();
  await page.getByRole("button", { name: "Delete the channel" }).click();
  await expect(page.getByText("Alerts are sent nowhere yet")).toBeVisible();
});
