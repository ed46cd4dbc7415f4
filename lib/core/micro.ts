/** Micro-tokens in a token, and µs in a second. */
export const MICRO = 1_000_000;
