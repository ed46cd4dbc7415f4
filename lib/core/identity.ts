import type { ClientId } from "./client-id";
import type { IpAddress } from "./ip";

/** Who sent a request, as the gateway judged it. */
export type Identity = {
  /** `key:<id>`, or `ip:<address>` for traffic without a (known) key. */
  client: ClientId;
  authenticated: boolean;
  /** The key's customer, without the `customer:` prefix; null without a key. */
  customer: string | null;
  /** `anonymous` without a key. */
  plan: string;
  ip: IpAddress;
  ipClient: `ip:${string}`;
};
