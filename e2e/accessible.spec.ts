import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";

const require = createRequire(fileURLToPath(import.meta.url));
const axePath = require.resolve("axe-core/axe.min.js");

const PATHS = [
  "/versions",
  "/versions/1",
  "/versions/compare?from=1&to=1",
  "/gateways",
  "/lists",
  "/backtest",
  "/settings",
  "/plans",
  "/keys",
  "/keys/tokens",
  "/overrides?state=all",
  "/clients",
  "/clients?q=198.51.100.7",
  "/clients?client=ip%3A198.51.100.7",
  "/alerts",
  "/audit",
  "/people",
  "/profile",
  "/approvals",
];

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axePath });
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(
          root: Document,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const found = await axe.run(document, { resultTypes: ["violations"] });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
}

for (const { width, colorScheme } of [
  { width: 1440, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const) {
  test(`every page of operations has no axe violation and no sideways scroll at ${width} px, ${colorScheme}`, async ({
    signedIn: page,
  }) => {
    test.setTimeout(180_000);
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const path of PATHS) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      expect(await violations(page), path).toEqual([]);
      const overflow = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      expect(overflow, path).toBe(0);
    }
    await page.goto("/rules/new");
    for (const name of [
      /with bursts/,
      /without bursts/,
      /Quota/,
      /At the same time/,
      /for the fleet/,
      /for one gateway/,
    ]) {
      await page.getByRole("radio", { name }).click();
      expect(await violations(page), `a new rule: ${name}`).toEqual([]);
    }
  });
}

test("a roll back can be opened, read and left by keyboard alone, and gives the focus back", async ({
  signedIn: page,
  api,
}) => {
  await api("POST", "/draft/discard");
  await api("PUT", `/draft/plans/k-${Date.now().toString(36)}`, { name: "Keyboard" });
  const { body } = await api("GET", "/draft");
  const { baseVersion } = body as { baseVersion: number };
  await api("POST", "/publish", { message: "something to go back from", baseVersion });
  await page.goto("/versions");
  const button = page.getByRole("button", { name: /^Roll back to here/ }).first();
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("It needs no approval");
  await expect(dialog.locator(":focus")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
});
