/** Address of the lookup of a client, and of one request of it. */
export function clientHref(client: string, requestId?: string | null): string {
  const query = new URLSearchParams({ client });
  if (requestId != null && requestId !== "") query.set("request", requestId);
  return `/clients?${query}`;
}

/** Address of the limits of its own that a client has. */
export function overridesHref(client: string): string {
  return `/overrides?${new URLSearchParams({ client })}`;
}

/** The same, with the dialog open that gives it one more. */
export function newOverrideHref(client: string): string {
  return `/overrides?${new URLSearchParams({ client, new: "1" })}`;
}
