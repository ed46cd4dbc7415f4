import { z } from "zod";
import { waitFor } from "../lib/testing/wait-for";
import { expect, test } from "./fixtures";

/** Of the documentation's addresses, one for each run of the test: what is denied stays so in the counts. */
const ADDRESS = `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;

test("an address is denied at night, is refused by every gateway, shows in the hits, and is let in again", async ({
  signedIn: page,
  api,
  stack,
}) => {
  test.setTimeout(120_000);
  await api("POST", "/draft/discard");
  const urls = stack.gateways.map(({ url }) => url);
  const statuses = () =>
    Promise.all(
      urls.map(async (url) => {
        const answer = await fetch(`${url}/v1/messages`, {
          headers: { "x-forwarded-for": ADDRESS },
        });
        await answer.body?.cancel();
        return answer.status;
      }),
    );
  const publish = async (message: string) => {
    await page.getByRole("link", { name: "Review and publish" }).click();
    await page.getByLabel("Message").fill(message);
    await page.getByRole("button", { name: /^Publish v\d+/ }).click();
    await expect(page.getByText(/^Published v\d+/)).toBeVisible();
  };

  // As one comes from a report: by the client's log.
  await page.goto(`/rules/_flood/log?client=ip:${ADDRESS}`);
  await page.getByRole("link", { name: `Deny ip:${ADDRESS}` }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Clients or addresses")).toHaveValue(`ip:${ADDRESS}`);
  await dialog.getByLabel("Clients or addresses").fill("198.18.0.300");
  await dialog.getByRole("button", { name: "Save to draft" }).click();
  await expect(dialog).toContainText("Say why");
  await dialog.getByLabel("Reason").fill("scans, ticket 4711");
  await dialog.getByRole("button", { name: "Save to draft" }).click();
  await expect(dialog).toContainText('got "198.18.0.300"');
  await dialog.getByLabel("Clients or addresses").fill(ADDRESS);
  await dialog.getByRole("button", { name: "Save to draft" }).click();
  const deny = page.getByRole("table", { name: "Entries of the deny list" });
  await expect(deny.getByRole("row", { name: ADDRESS })).toContainText("added");
  expect(await statuses()).not.toContain(403);

  await publish("a scan");
  await waitFor(async () => (await statuses()).every((status) => status === 403), {
    timeoutMs: 10_000,
    what: "403 on every gateway",
  });
  const HitsSchema = z.object({ items: z.array(z.object({ client: z.string() })) });
  await waitFor(
    async () => {
      const { body } = await api("GET", `/rules/_deny/hits?client=ip:${ADDRESS}`);
      return HitsSchema.parse(body).items.length > 0;
    },
    { timeoutMs: 15_000, what: "a hit of _deny" },
  );
  await page.goto("/lists");
  await page.getByRole("link", { name: "Report of the deny list" }).click();
  await expect(page.getByTestId("verdict")).toContainText("Rejected 100%");
  await expect(page.getByRole("link", { name: `ip:${ADDRESS}` }).first()).toBeVisible();

  await page.goto(`/lists?q=${ADDRESS}`);
  await page.getByRole("button", { name: `Take ${ADDRESS} off the deny list` }).click();
  await expect(deny.getByRole("row", { name: ADDRESS })).toContainText("removed");
  await publish("the scan is over");
  await waitFor(async () => !(await statuses()).includes(403), {
    timeoutMs: 10_000,
    what: "no 403 on any gateway",
  });
});
