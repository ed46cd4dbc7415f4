import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import {
  type Ctx,
  getSession,
  type Session,
  type SetCookie,
  sessionActor,
  withActor,
} from "@/lib/control";
import { AppError } from "@/lib/core/errors";
import { getControl } from "./context";
import { PATH_HEADER } from "./path-header";

/** Who is signed in; read once per request. */
export const findSession = cache(
  async (): Promise<Session | null> => getSession(getControl(), { headers: await headers() }),
);

/** For pages and layouts: who is not signed in is sent to do so. */
export async function requireSession(): Promise<Session> {
  const session = await findSession();
  if (session === null) {
    const path = (await headers()).get(PATH_HEADER);
    redirect(
      path === null || path === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(path)}`,
    );
  }
  return session;
}

/** What a page gives to the verbs that it calls. */
export async function getPageCtx(): Promise<Ctx> {
  return withActor(getControl(), sessionActor(await requireSession()));
}

/** For actions: an answer, not a redirect, so that what was typed is not lost. */
export async function requireSessionCtx(): Promise<Ctx> {
  const session = await findSession();
  if (session === null)
    throw new AppError(
      "unauthenticated",
      "your session has ended: sign in again in another tab, then repeat this",
    );
  return withActor(getControl(), sessionActor(session));
}

/** In a server action only: hands the sign-in's cookies to the browser. */
export async function setCookies(given: readonly SetCookie[]): Promise<void> {
  const jar = await cookies();
  for (const { name, value, ...options } of given) jar.set(name, value, options);
}
