import { authenticate } from "@/app/_server/authenticate";
import { eventStream } from "@/app/_server/event-stream";
import { route } from "@/app/_server/route";
import { getConvergence, withActor } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/versions/{n}/convergence", {
  GET: async ({ ctx, params, request }) => {
    const number = params.n;
    const first = await getConvergence(ctx, { number });
    if (!wantsEvents(request)) return first;
    const { actor } = ctx;
    return eventStream({
      request,
      control: ctx,
      owner: `${actor.type}:${actor.id}`,
      first,
      // Whoever lost the right to read meanwhile reads no further.
      read: async () =>
        getConvergence(withActor(ctx, await authenticate(ctx, request)), { number }),
      isLast: ({ converged }) => converged,
    });
  },
});

function wantsEvents(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  return accept.split(",").some((type) => type.trim().startsWith("text/event-stream"));
}
