export const STACK_VARIABLE = "HEADGATE_E2E_STACK";

export type StackAddresses = {
  consoleUrl: string;
  upstreamUrl: string;
  gateways: { url: string; adminUrl: string }[];
  admin: { email: string; password: string };
  bootstrapToken: string;
  databaseUrl: string;
  /** Of redis-server, so that a test may hang it (SIGSTOP) and wake it (SIGCONT). */
  redisPid: number;
};

/** The addresses of the stack that global-setup.ts started. */
export function stackAddresses(): StackAddresses {
  const text = process.env[STACK_VARIABLE];
  if (text === undefined)
    throw new Error(`${STACK_VARIABLE} is not set: run through playwright test`);
  return JSON.parse(text);
}
