import type { ClientId } from "@/lib/core/client-id";
import type { DirectorySync } from "./directory-sync";
import type { PresentedKey } from "./key-lookup";

/** Finds a client by its id, for those that another one authenticated. */
export type ClientLookup = (client: ClientId) => PresentedKey;

/** A `key:<id>` belongs to its customer, a `customer:<id>` is one; an address is nobody that could be known. */
export function createClientLookup(
  directory: Pick<DirectorySync, "index" | "isComplete">,
): ClientLookup {
  return (client) => {
    const index = directory.index();
    const colon = client.indexOf(":");
    const [kind, id] = [client.slice(0, colon), client.slice(colon + 1)];
    if (kind === "ip") return { state: "unknown" };
    const customer = kind === "key" ? index.customerOf(id) : id;
    const plan = customer === null ? null : index.planOf(customer);
    // A key without a customer's plan is still a key; a customer without one is not there.
    if (customer !== null && (kind === "key" || plan !== null))
      return { state: "known", client, customer, plan };
    if (directory.isComplete()) return { state: "unknown" };
    return { state: "undecided", client, customer: id };
  };
}
