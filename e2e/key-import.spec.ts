import { z } from "zod";
import { expect, test } from "./fixtures";

const KeysSchema = z.object({ total: z.int(), items: z.array(z.object({ id: z.string() })) });

const keyOf = (i: number) => `sk_live_${String(i).padStart(24, "0")}`;

test("a list is checked, imported with progress, reported by line, exported and imported again as nothing", async ({
  signedIn: page,
  api,
}) => {
  const total = async () => KeysSchema.parse((await api("GET", "/keys?find=imported-")).body).total;
  const lines = Array.from(
    { length: 1_200 },
    (_, i) => `${keyOf(i)},imported-${i % 9},${i === 730 ? "gold" : "paid"},"Two\r\nlines ${i}"`,
  );
  const list = {
    name: "keys.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(`\uFEFFkey,customer,plan,name\r\n${lines.join("\r\n")}\r\n`),
  };
  await page.goto("/keys");
  await page.getByRole("link", { name: "Import" }).click();
  await page.getByLabel("List of keys").setInputFiles(list);
  await page.getByRole("button", { name: "Check only" }).click();
  // A name of two lines is refused, too; the list's own mistake is named by its physical line.
  await expect(page.getByText("1,200 lines of 1,200 are refused")).toBeVisible({
    timeout: 30_000,
  });
  expect(await total()).toBe(0);
  const fine = lines.map((line) => line.replace("Two\r\nlines", "Name"));
  await page.getByLabel("List of keys").setInputFiles({
    ...list,
    buffer: Buffer.from(`key,customer,plan,name\n${fine.join("\n")}`),
  });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("1 line of 1,200 is refused; the others were taken")).toBeVisible({
    timeout: 30_000,
  });
  await expect(page.getByRole("row", { name: /^732/ })).toContainText("got gold");
  await expect(page.getByRole("main")).not.toContainText("sk_live_0000");
  expect(await total()).toBe(1_199);
  const report = page.waitForEvent("download");
  await page.getByRole("button", { name: "Report" }).click();
  expect((await report).suggestedFilename()).toBe("headgate-import-report.csv");

  await page.goto("/keys?find=imported-");
  const exported = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export" }).click();
  const file = await (await exported).path();
  await page.goto("/keys/import");
  await page.getByLabel("List of keys").setInputFiles(file);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("Nothing to do: every line is as it should be")).toBeVisible({
    timeout: 30_000,
  });
});

test("a key is rotated in the console: the same client, both texts for the time that was chosen", async ({
  signedIn: page,
  api,
  stack,
}) => {
  const made = z
    .object({ id: z.string(), key: z.string() })
    .parse((await api("POST", "/keys", { plan: "free", customer: "turned", name: "Turned" })).body);
  await page.goto("/keys?customer=turned");
  await page.getByRole("button", { name: "Rotate key Turned" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Rotate the key" }).click();
  await expect(dialog).toContainText("it is shown this once");
  await expect(dialog).toContainText("The old text works until");
  const fresh = (await dialog.locator("code").first().textContent()) ?? "";
  expect(fresh).toMatch(/^hg_/);
  expect(fresh).not.toBe(made.key);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByRole("row", { name: /Turned/ })).toContainText("old text ends");
  const rows = KeysSchema.parse((await api("GET", "/keys?customer=turned")).body);
  expect(rows.items.map(({ id }) => id)).toEqual([made.id]);
  expect(stack.gateways.length).toBeGreaterThan(0);
});
