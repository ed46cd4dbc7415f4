import { z } from "zod";
import { type Api, expect, test } from "./fixtures";
import { publishDraft } from "./one-rule";
import type { StackAddresses } from "./stack";

const RULE = "e2e-backtest";
const KeySchema = z.object({ id: z.string(), key: z.string() });
const TapeSchema = z.object({ requests: z.int() });

/** One rule, off, and the tape on: nothing is limited and everything is recorded. */
async function recordEverything(api: Api): Promise<void> {
  await api("POST", "/draft/discard");
  const { body: list } = await api("GET", "/rules?limit=500");
  const { items } = z.object({ items: z.array(z.object({ id: z.string() })) }).parse(list);
  for (const { id } of items) await api("DELETE", `/draft/rules/${id}`);
  await api("PUT", `/draft/rules/${RULE}`, {
    name: "Few a minute",
    countBy: ["client"],
    limit: {
      kind: "rate",
      algorithm: "token-bucket",
      default: { rate: 10, per: "1h", burst: 10 },
    },
    mode: "off",
  });
  const { body: drafted } = await api("GET", "/draft/settings");
  const settings = z.object({ body: z.looseObject({}) }).parse(drafted).body;
  await api("PUT", "/draft/settings", { ...settings, tape: { enabled: true, percent: 100 } });
  await publishDraft(api, "record a tape");
}

async function makeKey(api: Api, name: string): Promise<z.output<typeof KeySchema>> {
  const { body } = await api("POST", "/keys", { plan: "free", name });
  return KeySchema.parse(body);
}

/** Whether every gateway has the newest version. */
async function isConverged(api: Api): Promise<boolean> {
  const { body: list } = await api("GET", "/versions?limit=1");
  const { current } = z.object({ current: z.int() }).parse(list);
  const { body } = await api("GET", `/versions/${current}/convergence`);
  const { live, applied } = z.object({ live: z.int(), applied: z.int() }).parse(body);
  return live > 0 && live === applied;
}

/** How many keys each gateway knows. */
function knownKeys(gateways: StackAddresses["gateways"]): Promise<number[]> {
  return Promise.all(
    gateways.map(async ({ adminUrl }) => {
      const status = await (await fetch(`${adminUrl}/status`)).json();
      return z.object({ directory: z.object({ keys: z.int() }) }).parse(status).directory.keys;
    }),
  );
}

// Three runs, each in a process of its own, and what gateways record in blocks of 5 s.
test.setTimeout(120_000);

const logLine = (n: number) =>
  `192.0.2.7 - - [30/Nov/2026:10:00:${String(n).padStart(2, "0")} +0000] "GET /v1/messages HTTP/1.1" 200 17 "-" "e2e"`;

test("a rule is judged on the tape, and a better limit is found, simulated and drafted", async ({
  signedIn: page,
  api,
  stack,
}) => {
  const gateways = stack.gateways.map(({ url }) => url);
  const before = await knownKeys(stack.gateways);
  const [busy, calm] = [await makeKey(api, "busy"), await makeKey(api, "calm")];
  await recordEverything(api);
  await expect.poll(() => isConverged(api)).toBe(true);
  const known = before.map((count) => count + 2);
  await expect.poll(() => knownKeys(stack.gateways)).toEqual(known);
  const send = (key: string, n: number) =>
    fetch(`${gateways[n % gateways.length]}/v1/messages`, { headers: { "x-api-key": key } });
  const onTape = async () => TapeSchema.parse((await api("GET", "/tape")).body).requests;
  const taped = await onTape();
  for (let n = 0; n < 40; n += 1) await send(busy.key, n);
  for (let n = 0; n < 4; n += 1) await send(calm.key, n);
  await expect.poll(onTape, { timeout: 15_000 }).toBe(taped + 44);

  await page.goto("/backtest");
  await page.getByRole("combobox", { name: "Rule" }).fill("Few a minute");
  await page.getByRole("option", { name: "Few a minute", exact: true }).click();
  await page.getByRole("button", { name: "Run backtest" }).click();
  await expect(page).toHaveURL(/\/backtest\/[a-z0-9]{12}$/);
  const verdict = page.getByTestId("verdict");
  await expect(verdict).toContainText("Would reject", { timeout: 15_000 });
  await expect(verdict).toContainText("1 of 2 clients");
  const clients = page.getByRole("table", { name: "Clients", exact: true });
  await expect(clients.getByRole("row").nth(1)).toContainText(`key:${busy.id}`);
  const figures = page.getByTestId("limit-figures");
  await expect(figures).toContainText("Simulated");

  const slider = page.getByRole("slider", { name: /Requests per 1h, plan Free/ });
  await slider.focus();
  await page.keyboard.press("End");
  await expect(figures).toContainText("Estimate");
  await expect(figures).toContainText("0%");
  await page.keyboard.press("Home");
  await expect(figures).toContainText("2of 2 clients");
  await page.getByRole("button", { name: /^Proposed:/ }).click();
  await expect(slider).not.toHaveAttribute("aria-valuetext", /^1 per/);

  await page.getByRole("button", { name: "Use this limit in my draft" }).click();
  await expect(page.getByText("Your draft has this limit")).toBeVisible();
  await page.getByRole("button", { name: "Simulate" }).click();
  await expect(page.getByText(`with another ${RULE}`)).toBeVisible({ timeout: 15_000 });
  await expect(verdict).toContainText("Would reject nothing", { timeout: 15_000 });

  await page.goto("/draft");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Discard draft" }).click();
  await expect(page.getByText("Your draft is empty")).toBeVisible({ timeout: 20_000 });
});

test("a rule is judged on an uploaded log, whose broken lines are counted and shown", async ({
  signedIn: page,
  api,
}) => {
  await recordEverything(api);
  await page.goto(`/backtest?rule=${RULE}`);
  await page.getByRole("radio", { name: /An access log/ }).click();
  const lines = [...Array.from({ length: 12 }, (_, n) => logLine(n)), "no line of a log"];
  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "up.log",
    mimeType: "text/plain",
    buffer: Buffer.from(lines.join("\n")),
  });
  await page.getByRole("button", { name: "Run backtest" }).click();
  const verdict = page.getByTestId("verdict");
  await expect(verdict).toContainText("2 of 12 requests", { timeout: 15_000 });
  await expect(page.getByText("13 lines read, 1 broken")).toBeVisible();
  await expect(page.getByText("no line of a log")).toBeVisible();
});
