import { isNoneMatch } from "@/app/_server/etag";
import { route } from "@/app/_server/route";
import { getSnapshot } from "@/lib/control";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/snapshot", {
  GET: async ({ ctx, request }) => {
    const { etag, document, version, epoch } = await getSnapshot(ctx);
    const headers = {
      etag,
      "cache-control": "private, no-cache",
      "x-headgate-version": `${epoch}.${version}`,
    };
    if (!isNoneMatch(request.headers.get("if-none-match"), etag))
      return new Response(null, { status: 304, headers });
    return new Response(Buffer.from(document), {
      headers: { ...headers, "content-type": "application/vnd.headgate.snapshot" },
    });
  },
});
