import { drawOf } from "./share";

/** The draw's fixed name: the same clients are on the tape of every gateway, whatever the rules are. */
export const TAPE_DRAW = "_tape";

/** Whether a client is of the sample of `percent`; who is of 1 % is of 10 %. */
export function isInTapeSample(client: string, percent: number): boolean {
  return percent >= 100 || drawOf(TAPE_DRAW, client) < percent * 100;
}
