import { test as base, type Cookie, expect, type Page } from "@playwright/test";
import { type StackAddresses, stackAddresses } from "./stack";

/** A call of /api/v1 with all rights. */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: unknown }>;

type Fixtures = {
  stack: StackAddresses;
  api: Api;
  /** Signed in as the first administrator. */
  signedIn: Page;
};

/** Of the administrator's last sign-in. */
let cookies: Cookie[] = [];

/** What React takes over; the hidden inputs of a form's action are for browsers without it. */
const CONTROLS = "button, input:not([type=hidden]), select, textarea";

/**
 * A page whose navigations resolve once it is whole. What the server sends late is for a moment there twice, hidden and
 * shown, so that a locator by text finds two; and a control does nothing before React has taken it over.
 */
export function wholePage(page: Page): Page {
  const { goto, reload, goBack } = page;
  const whole =
    <A extends unknown[], R>(navigate: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const result = await navigate.apply(page, args);
      await page.waitForFunction((controls) => {
        const isTaken = (element: Element) =>
          Object.keys(element).some((name) => name.startsWith("__reactProps$"));
        return (
          document.querySelector("div[hidden][id^='S:']") === null &&
          [...document.querySelectorAll(controls)].every(isTaken)
        );
      }, CONTROLS);
      return result;
    };
  return Object.assign(page, {
    goto: whole(goto),
    reload: whole(reload),
    goBack: whole(goBack),
  });
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs from this pattern
  stack: async ({}, use) => use(stackAddresses()),
  baseURL: async ({ stack }, use) => use(stack.consoleUrl),
  api: async ({ stack }, use) =>
    use(async (method, path, body) => {
      const response = await fetch(`${stack.consoleUrl}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${stack.bootstrapToken}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? null : JSON.parse(text) };
    }),
  page: async ({ page }, use) => use(wholePage(page)),
  signedIn: async ({ page, stack }, use) => {
    await page.context().addCookies(cookies);
    await page.goto("/");
    // A test may have ended the session. Signing in for each would be more attempts than the console takes.
    if (new URL(page.url()).pathname.startsWith("/sign-in")) {
      await page.getByLabel("Email").fill(stack.admin.email);
      await page.getByLabel("Password").fill(stack.admin.password);
      await page.getByRole("button", { name: /sign in/i }).click();
      await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
      cookies = await page.context().cookies();
    }
    await use(page);
  },
});

export { expect };
