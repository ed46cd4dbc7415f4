import { readFile } from "node:fs/promises";
import { expect, test } from "./fixtures";

test("the log that the filters show comes as CSV that runs nothing, and as JSON", async ({
  signedIn: page,
  api,
}) => {
  const name = `=1+${Date.now()}`;
  await api("POST", "/keys", { plan: "free", name });
  await page.goto(`/audit?kind=key&q=${encodeURIComponent(name)}`);
  await expect(page.getByText(name).first()).toBeVisible();
  const download = async (link: string) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: link }).click(),
    ]);
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  };
  const csv = await download("CSV");
  expect(csv.name).toMatch(/^headgate-audit-test-\d{4}-\d\d-\d\d\.csv$/);
  expect(csv.text.split("\r\n")).toHaveLength(3);
  expect(csv.text).not.toMatch(/(^|,)"?[=+@-]/m);
  const json = await download("JSON");
  expect(JSON.parse(json.text)).toMatchObject([{ action: "key.create" }]);
});
