/** How long a block of tape is kept, and how much of it in all: what comes first. */
export const TAPE_KEPT_MS = 7 * 86_400_000;
export const TAPE_KEPT_BYTES = 1_073_741_824;
