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
  const statuses = () =>
    Promise.all(
      stack.gateways.map(async ({ url }) => {
        const answer = await fetch(`${url}/v1/messages`, {
          headers: { "x-api-key": "hg_nobody_has_it" },
        });
        await answer.body?.cancel();
        return answer.status;
      }),
    );

  await page.goto("/settings");
  const settings = page.getByRole("form", { name: "Ruleset settings" });
  const save = settings.getByRole("button", { name: "Save to draft" });
  await expect(save).toBeDisabled();
  await settings.getByLabel("Header of an authenticating proxy").fill("x-forwarded-for");
  await expect(settings).toContainText('got "x-forwarded-for"');
  await save.click();
  await expect(settings).toContainText("what is marked above is not valid");
  await settings.getByRole("button", { name: "Undo typing" }).click();

  const unknownKey = settings.getByLabel("A key that is unknown or revoked");
  await unknownKey.click();
  await page.getByRole("option", { name: "Answer 401" }).click();
  await save.click();
  await expect(settings).toContainText("In your draft, not live yet");
  expect(await statuses()).not.toContain(401);

  const routes = page.getByRole("form", { name: "Routes" });
  const templates = routes.getByLabel("Templates, one a line");
  const before = await templates.inputValue();
  await templates.fill(`${before}\nno-slash`);
  await expect(routes).toContainText('got "no-slash"');
  await templates.fill(`${before}\n/v1/reports/:id`);
  await routes.getByRole("button", { name: "Save to draft" }).click();
  await expect(routes).toContainText("In your draft, not live yet");

  await page.goto("/draft");
  await page.getByLabel("Message").fill("a key that nobody has is turned away");
  await page.getByRole("button", { name: /^Publish v\d+/ }).click();
  await expect(page.getByText(/^Published v\d+/)).toBeVisible();
  await waitFor(async () => (await statuses()).every((status) => status === 401), {
    what: "401 of every gateway",
  });

  // As it was, for the specs that come after.
  await page.goto("/settings");
  await expect(settings).not.toContainText("In your draft");
  await unknownKey.click();
  await page.getByRole("option", { name: "Count it as anonymous" }).click();
  await save.click();
  await expect(settings).toContainText("In your draft");
  await templates.fill(before);
  await routes.getByRole("button", { name: "Save to draft" }).click();
  await expect(routes).toContainText("In your draft");
  const draft = z.object({ currentVersion: z.int() }).parse((await api("GET", "/draft")).body);
  const { currentVersion } = draft;
  await api("POST", "/publish", { message: "as it was", baseVersion: currentVersion });
});
