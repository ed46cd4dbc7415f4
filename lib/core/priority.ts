import type { Priority } from "./rule";

/** What a shedder may refuse, the dearest first. */
export const SHEDDABLE = ["normal", "sheddable", "test"] as const satisfies readonly Priority[];
export type Sheddable = (typeof SHEDDABLE)[number];

/** Of each class, the part that is refused: 0..1. */
export type ShedShares = Readonly<Record<Sheddable, number>>;

/** Requests a second, by priority. */
export type PriorityRates = Readonly<Record<Priority, number>>;
export const NO_DEMAND: PriorityRates = { critical: 0, normal: 0, sheddable: 0, test: 0 };
