import { expect, test, wholePage } from "./fixtures";

const PASSWORD = "another person's word";

test("one person asks, another approves, and it is live with both in the log", async ({
  signedIn: page,
  api,
  browser,
  stack,
}) => {
  const id = `e2e-approval-${Date.now().toString(36)}`;
  const limit = {
    kind: "rate",
    algorithm: "token-bucket",
    default: { rate: 5, per: "1m", burst: 5 },
  };
  await api("POST", "/draft/discard");
  await api("PUT", `/draft/rules/${id}`, { name: id, countBy: ["ip"], limit, mode: "shadow" });
  const { baseVersion } = (await api("GET", "/draft")).body as { baseVersion: number };
  expect((await api("POST", "/publish", { message: id, baseVersion })).status).toBe(201);

  const email = `second-${id}@headgate.test`;
  const invited = await api("POST", "/people/invitations", { email, role: "publisher" });
  const { hash } = new URL((invited.body as { link: string }).link);
  const context = await browser.newContext({ baseURL: stack.consoleUrl });
  const other = wholePage(await context.newPage());
  await other.goto(`/welcome${hash}`);
  await other.getByLabel("Your name").fill("Second");
  await other.getByLabel("Password").fill(PASSWORD);
  await other.getByRole("button", { name: "Join" }).click();
  await other.waitForURL("**/rules");

  await page.goto("/approvals");
  await page.getByRole("button", { name: "Require it" }).click();
  await expect(page.getByText("required", { exact: true })).toBeVisible();
  try {
    await page.goto(`/rules/${id}`);
    await page.getByRole("button", { name: "Enforce…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("report reviewed");
    await dialog.getByLabel(/The evidence is thin/).fill(id);
    await dialog.getByRole("button", { name: /^Enforce as v/ }).click();
    await expect(dialog.getByText("Waits for a second person")).toBeVisible();
    await dialog.getByRole("link", { name: "Show the request" }).click();
    const own = page.getByRole("region", { name: new RegExp(id) });
    await expect(own.getByRole("button", { name: "Approve and publish" })).toBeDisabled();
    await expect(own.getByText(/approved by somebody else than its author/)).toBeVisible();

    await other.goto("/approvals");
    const theirs = other.getByRole("region", { name: new RegExp(id) });
    await theirs.getByRole("button", { name: "Approve and publish" }).click();
    await expect(theirs.getByText(/approved by Second/)).toBeVisible();
    const rule = (await api("GET", `/rules/${id}`)).body;
    expect(rule).toMatchObject({ mode: "enforce" });
    await other.goto("/audit?q=approved what");
    await expect(other.getByText(/Second approved what .* asked for/).first()).toBeVisible();
  } finally {
    await api("PUT", "/approval", { required: false });
    await api("POST", `/rules/${id}/mode`, { mode: "off", reason: "test is over" });
    await context.close();
  }
});
