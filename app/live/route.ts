import { getControl } from "@/app/_server/context";
import { eventStream } from "@/app/_server/event-stream";
import { getLive } from "@/app/_server/live";
import { getSession, sessionActor, withActor } from "@/lib/control";
import { AppError } from "@/lib/core/errors";

/** What open pages follow, by the session's cookie, for as long as the session lasts. */
export async function GET(request: Request): Promise<Response> {
  const control = getControl();
  const { headers } = request;
  const session = await getSession(control, { headers }).catch(() => null);
  return eventStream({
    request,
    control,
    owner: `session:${session?.user.id ?? ""}`,
    // A page cannot see a stream's status, so that nobody is signed in is an event, too.
    read: async () => {
      const now = await getSession(control, { headers });
      if (now === null) throw new AppError("unauthenticated", "your session has ended");
      return getLive(withActor(control, sessionActor(now)));
    },
  });
}
