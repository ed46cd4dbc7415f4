import { route } from "@/app/_server/route";
import { exportAudit } from "@/lib/control";

const TYPES = { csv: "text/csv; charset=utf-8", json: "application/json" };

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route("/audit/export", {
  GET: async ({ ctx, query }) => {
    const { format, chunks } = exportAudit(ctx, query);
    // The first page before the status: a database that is away is 503, not a download that breaks off.
    const first = await chunks.next();
    const day = new Date(ctx.clock.nowMs()).toISOString().slice(0, 10);
    const name = `headgate-audit-${ctx.environment}-${day}.${format}`;
    return new Response(streamOf(first, chunks), {
      headers: {
        "content-type": TYPES[format],
        "content-disposition": `attachment; filename="${name}"`,
        "cache-control": "no-store",
      },
    });
  },
});

function streamOf(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | undefined = first;
  return new ReadableStream({
    async pull(controller) {
      const chunk = next ?? (await rest.next());
      next = undefined;
      if (chunk.done === true) controller.close();
      else controller.enqueue(encoder.encode(chunk.value));
    },
    async cancel() {
      await rest.return(undefined);
    },
  });
}
