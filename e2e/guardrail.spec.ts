import { z } from "zod";
import { EnforcePreviewSchema } from "@/lib/core/api/enforce-preview";
import { EnforcementSchema } from "@/lib/core/api/enforcement";
import { type Api, expect, test } from "./fixtures";
import { publishOneRule } from "./one-rule";

const RULE = "e2e-guardrail";
const REQUEST_EVERY_MS = 60;

/** Requests of one key, at every gateway in turn, until it is stopped. */
function sendTraffic(key: string, gateways: readonly { url: string }[]) {
  const answers: { gateway: string; status: number }[] = [];
  let isOn = true;
  async function run() {
    for (let turn = 0; isOn; turn += 1) {
      const gateway = gateways[turn % gateways.length]?.url ?? "";
      const response = await fetch(`${gateway}/v1/messages`, { headers: { "x-api-key": key } });
      await response.arrayBuffer();
      answers.push({ gateway, status: response.status });
      await new Promise((done) => setTimeout(done, REQUEST_EVERY_MS));
    }
  }
  const ended = run();
  return {
    /** Of the last ones at each gateway. */
    lastStatuses: (count: number) =>
      new Set(
        gateways.flatMap(({ url }) =>
          answers
            .filter(({ gateway }) => gateway === url)
            .slice(-count)
            .map(({ status }) => status),
        ),
      ),
    refused: () => answers.filter(({ status }) => status === 429).length,
    stop: async () => {
      isOn = false;
      await ended;
    },
  };
}

async function enterpriseKey(api: Api): Promise<string> {
  const { body } = await api("POST", "/keys", { plan: "enterprise", name: "Acme, production" });
  return z.object({ key: z.string() }).parse(body).key;
}

test("a rule that hurts enterprise clients is enforced, and its guardrail takes it back with nobody's hand", async ({
  signedIn: page,
  api,
  stack,
}) => {
  await api("PUT", "/draft/plans/enterprise", { name: "Enterprise", rank: 30, protected: true });
  const amount = { rate: 1, per: "1m", burst: 3 };
  const limit = { default: amount };
  await publishOneRule(api, { id: RULE, limit, message: "three at a time", mode: "shadow" });
  const traffic = sendTraffic(await enterpriseKey(api), stack.gateways);
  try {
    await expect
      .poll(async () => {
        const { body } = await api("GET", `/rules/${RULE}/enforce-preview`);
        return EnforcePreviewSchema.parse(body).radius.byPlan.map(({ plan }) => plan);
      })
      .toContain("enterprise");
    expect(traffic.refused()).toBe(0);

    await page.goto(`/rules/${RULE}`);
    await page.getByRole("button", { name: "Enforce…" }).click();
    const dialog = page.getByRole("dialog");
    const plans = dialog.getByRole("list", { name: "Would be refused, by plan" });
    await expect(plans.getByRole("listitem").filter({ hasText: "enterprise" })).toContainText(
      "protected",
    );
    await expect(dialog.getByText("Acme, production")).toBeVisible();
    await expect(dialog.getByText(/or any client on enterprise is refused/)).toBeVisible();
    await dialog.getByText("Bounds", { exact: true }).click();
    const crossed = dialog.getByLabel("Crossed without a break for");
    await crossed.fill("0");
    await dialog.getByLabel("Reason").fill("nobody will notice");
    await dialog.getByLabel(/^The evidence is thin/).fill(RULE);
    const enforce = dialog.getByRole("button", { name: /^Enforce as v/ });
    await enforce.click();
    await expect(
      dialog.getByText("forSeconds must be a whole number 1..3600, got 0"),
    ).toBeVisible();
    await crossed.fill("2");
    await enforce.click();
    await expect(dialog.getByText(/applied on 2 of 2 live gateways/)).toBeVisible();
    await expect.poll(() => traffic.refused()).toBeGreaterThan(5);
    await dialog.getByRole("link", { name: /How it fares/ }).click();

    const card = page.getByRole("region", { name: "How the change fares" });
    await expect(card.getByText("taken back by its guardrail")).toBeVisible({ timeout: 20_000 });
    await expect(card).toContainText(/With nobody's hand: version \d+ brought it back to shadow/);
    await expect(card).toContainText(/rejected of protected plan enterprise/);
    await expect(page.getByRole("heading", { level: 1 }).locator("..")).toContainText("Shadow");
    const { body } = await api("GET", `/rules/${RULE}/enforcement`);
    const { undoneBy, actual } = EnforcementSchema.parse(body);
    expect(actual.rejections).toBeGreaterThan(0);
    await expect
      .poll(async () => (await api("GET", `/versions/${undoneBy}/convergence`)).body)
      .toMatchObject({ live: 2, applied: 2 });
    const before = traffic.refused();
    await expect.poll(() => [...traffic.lastStatuses(10)]).toEqual([200]);
    expect(traffic.refused()).toBe(before);

    // Everybody is told, on whatever page, until somebody has seen it.
    await page.goto("/keys");
    const told = page.getByText(`Rule ${RULE} is back to shadow by its guardrail`);
    await expect(told).toBeVisible();
    await page.goto("/alerts");
    await page
      .getByRole("button", { name: new RegExp(`^Acknowledge: Rule ${RULE} is back`) })
      .click();
    await page.goto("/keys");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(told).toHaveCount(0);
    const audit = await api("GET", `/audit?kind=rule&object=${RULE}&action=guardrail.undo`);
    expect(audit.body).toMatchObject({ items: [{ version: undoneBy, actor: { type: "system" } }] });
  } finally {
    await traffic.stop();
  }
});
