/** Address of the lookup of a client, and of one request of it. */
export function clientHref(client: string, requestId?: string | null): string {
  const query = new URLSearchParams({ client });
  if (requestId != null && requestId !== "") query.set("request", requestId);
  return `/clients?${query}`;
}
