import { getControl } from "@/app/_server/context";
import { getLive } from "@/app/_server/live";
import { findSession } from "@/app/_server/session";
import { sessionActor, withActor } from "@/lib/control";

/** What open pages poll, by the session's cookie. */
export async function GET(): Promise<Response> {
  const session = await findSession();
  const headers = { "cache-control": "no-store" };
  if (session === null) return Response.json(null, { status: 401, headers });
  const live = await getLive(withActor(getControl(), sessionActor(session)));
  return Response.json(live, { headers });
}
