import {
  type Actor,
  authenticateToken,
  type Control,
  getSession,
  sessionActor,
} from "@/lib/control";
import { AppError } from "@/lib/core/errors";

const SAFE_METHODS = ["GET", "HEAD"];

/**
 * Who calls: the token of `Authorization: Bearer`, or, only to read and only from the console's own pages, who is
 * signed in. A form on another site can send our cookie, so a cookie alone changes nothing here.
 */
export async function authenticate(control: Control, request: Request): Promise<Actor> {
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const bearer = /^bearer[ \t]+(\S+)[ \t]*$/i.exec(authorization)?.[1];
    if (bearer !== undefined) return authenticateToken(control, { bearer });
    throw new AppError("unauthenticated", "Authorization must be `Bearer <token>`");
  }
  const session = request.headers.has("cookie")
    ? await getSession(control, { headers: request.headers })
    : null;
  if (session === null)
    throw new AppError("unauthenticated", "this needs a token: Authorization: Bearer <token>");
  if (!SAFE_METHODS.includes(request.method))
    throw new AppError(
      "forbidden",
      `a session may only read here, not ${request.method}: send a token`,
    );
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none")
    throw new AppError(
      "forbidden",
      `a session may only read from the console's own pages, got a ${site} request`,
    );
  return sessionActor(session);
}
