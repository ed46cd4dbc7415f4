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
  await page.goto("/plans");
  // A draft is its person's own: made as who is signed in.
  const status = await page.evaluate(
    async ([path, body]) => {
      const headers = { "content-type": "application/json" };
      return (await fetch(path, { method: "PUT", headers, body })).status;
    },
    [`/api/v1/draft/rules/${RULE}`, JSON.stringify(ruleWith(6))] as const,
  );
  expect(status).toBe(200);
  await page.reload();
  const table = page.getByRole("table", { name: "Whose limits change" });
  await expect(table.locator("tbody tr")).toHaveCount(1);
  await expect(table).toContainText(/Free\d+ keys? of \d+ customers?/);
  await expect(table).toContainText("60 per 1m → 6 per 1m10 times stricter");

  await page.getByRole("button", { name: "Delete plan Free" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("6 per 1m → 600 per 1m");
  await expect(dialog).toContainText("100 times looser");
  await page.keyboard.press("Escape");
  await page.goto(`/draft`);
  await page.evaluate(() => fetch("/api/v1/draft/discard", { method: "POST" }));
});
