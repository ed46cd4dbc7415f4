import { route } from "@/app/_server/route";
import { getDirectoryBase } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/directory/base", {
  GET: async ({ ctx }) =>
    new Response(bodyOf(await getDirectoryBase(ctx)), {
      headers: {
        "content-type": "application/vnd.headgate.directory",
        "cache-control": "no-store",
      },
    }),
});

/** A piece is asked for when the last one went: a slow reader makes no pile. */
function bodyOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
}
