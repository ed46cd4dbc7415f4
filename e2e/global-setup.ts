import { startStack } from "../lib/testing/stack";
import { STACK_VARIABLE, type StackAddresses } from "./stack";

/** One stack for the whole browser run; specs read its addresses from the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack();
  const addresses: StackAddresses = {
    consoleUrl: stack.consoleUrl,
    upstreamUrl: stack.upstreamUrl,
    gateways: stack.gateways.map(({ url, adminUrl }) => ({ url, adminUrl })),
    admin: stack.admin,
    bootstrapToken: stack.bootstrapToken,
  };
  process.env[STACK_VARIABLE] = JSON.stringify(addresses);
  return stack.stop;
}
