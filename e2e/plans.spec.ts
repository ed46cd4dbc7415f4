import { z } from "zod";
import { expect, test } from "./fixtures";

const RULE = "by-plan-effects";
const amount = (rate: number) => ({ rate, per: "1m", burst: rate });
const ruleWith = (free: number) => ({
  name: "By plan, for effects",
  countBy: ["apiKey"],
  limit: {
    kind: "rate",
    algorithm: "token-bucket",
    perPlan: { free: amount(free) },
    default: amount(600),
  },
  mode: "shadow",
});

test("a draft says whose limits it moves and by how much, and deleting a plan what its clients would get", async ({
  signedIn: page,
  api,
}) => {
  await api("POST", "/draft/discard");
  await api("PUT", `/draft/rules/${RULE}`, ruleWith(60));
  const { baseVersion } = z
    .object({ baseVersion: z.int() })
    .parse((await api("GET", "/draft")).body);
  await api("POST", "/publish", { message: "amounts by plan", baseVersion });
  await api("POST", "/keys", { plan: "free" });
  await page.goto(`/rules/${RULE}/edit`);
  await page.getByLabel("Free: requests").fill("6");
  await page.getByLabel("Free: requests").blur();
  await page.getByRole("button", { name: "Save to draft" }).click();
  await page.waitForURL((url) => url.pathname === "/draft");
  await page.goto("/plans");
  const table = page.getByRole("table", { name: "Whose limits change" });
  await expect(table.locator("tbody tr")).toHaveCount(1);
  await expect(table).toContainText(/Free\d+ keys? of \d+ customers?/);
  await expect(table).toContainText("60 per 1m → 6 per 1m10 times stricter");

  await page.getByRole("button", { name: "Delete plan Free" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("6 per 1m → 600 per 1m");
  await expect(dialog).toContainText("100 times looser");
  await page.keyboard.press("Escape");
  await page.goto("/draft");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard draft" }).click();
  await expect(page.getByRole("alertdialog")).toBeHidden();
});
