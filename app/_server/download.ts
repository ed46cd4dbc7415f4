export const EXPORT_TYPES = { csv: "text/csv; charset=utf-8", json: "application/json" };

type Download = { name: string; type: string; chunks: AsyncGenerator<string> };

/** A file sent while it is read. The first piece comes before the status: a database that is away is 503, not a file that breaks off. */
export async function downloadResponse({ name, type, chunks }: Download): Promise<Response> {
  const first = await chunks.next();
  return new Response(streamOf(first, chunks), {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
    },
  });
}

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
