import type { Browser, Page } from "@playwright/test";
import { z } from "zod";
import { type Api, expect, wholePage } from "./fixtures";

const InvitedSchema = z.object({ link: z.string() });

/** A person of a role, joined by an invitation and signed in, in a browser window of their own. Close its context. */
export async function joinAs(
  role: string,
  { browser, api, baseURL, name }: { browser: Browser; api: Api; baseURL: string; name: string },
): Promise<Page> {
  const email = `${role}-${Date.now().toString(36)}@headgate.test`;
  const invited = await api("POST", "/people/invitations", { email, role });
  expect(invited.status).toBe(201);
  const { hash } = new URL(InvitedSchema.parse(invited.body).link);
  const context = await browser.newContext({
    baseURL,
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = wholePage(await context.newPage());
  await page.goto(`/welcome${hash}`);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password").fill("a password of one's own");
  await page.getByRole("button", { name: "Join" }).click();
  await page.waitForURL("**/rules");
  return page;
}
