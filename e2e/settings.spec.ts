import { z } from "zod";
import { waitFor } from "../lib/testing/wait-for";
import { expect, test } from "./fixtures";

test("a setting that is not valid is told at its field; a valid one goes by draft and publish to the gateways", async ({
  signedIn: page,
  api,
  stack,
}) => {
  test.setTimeout(120_000);
  await api("POST", "/draft/discard");
  const hasLegacyHeader = async () => {
    const answers = await Promise.all(
      stack.gateways.map(({ url }) =>
        fetch(`${url}/v1/messages`, { headers: { "x-api-key": "" } }),
      ),
    );
    await Promise.all(answers.map((answer) => answer.body?.cancel()));
    return answers.some(({ headers }) => headers.has("x-ratelimit-limit"));
  };

  await page.goto("/settings");
  const settings = page.getByRole("form", { name: "Ruleset settings" });
  const save = settings.getByRole("button", { name: "Save to draft" });
  await expect(save).toBeDisabled();
  await settings.getByLabel("Header of an authenticating proxy").fill("x-forwarded-for");
  await expect(settings).toContainText('got "x-forwarded-for"');
  await save.click();
  await expect(settings).toContainText("what is marked above is not valid");
  await settings.getByRole("button", { name: "Undo typing" }).click();

  await settings.getByRole("switch", { name: /^X-RateLimit-Limit/ }).click();
  await save.click();
  await expect(settings).toContainText("In your draft, not live yet");
  expect(await hasLegacyHeader()).toBe(true);

  const routes = page.getByRole("form", { name: "Routes" });
  const templates = routes.getByLabel("Templates, one a line");
  const before = await templates.inputValue();
  await templates.fill(`${before}\nno-slash`);
  await expect(routes).toContainText('got "no-slash"');
  await templates.fill(`${before}\n/v1/reports/:id`);
  await routes.getByRole("button", { name: "Save to draft" }).click();
  await expect(routes).toContainText("In your draft, not live yet");

  await page.goto("/draft");
  await page.getByLabel("Message").fill("one kind of headers is enough");
  await page.getByRole("button", { name: /^Publish v\d+/ }).click();
  await expect(page.getByText(/^Published v\d+/)).toBeVisible();
  await waitFor(async () => !(await hasLegacyHeader()), { what: "answers without X-RateLimit" });

  // As it was, for the specs that come after.
  await page.goto("/settings");
  await expect(settings).not.toContainText("In your draft");
  await settings.getByRole("switch", { name: /^X-RateLimit-Limit/ }).click();
  await save.click();
  await templates.fill(before);
  await routes.getByRole("button", { name: "Save to draft" }).click();
  await expect(routes).toContainText("In your draft");
  const draft = z.object({ currentVersion: z.int() }).parse((await api("GET", "/draft")).body);
  const { currentVersion } = draft;
  await api("POST", "/publish", { message: "as it was", baseVersion: currentVersion });
});
