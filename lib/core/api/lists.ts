import { z } from "zod";
import { ListsSchema } from "../list-entry";
import { InstantSchema } from "./common";
import { RuleHitsSchema } from "./rules";

/** GET /lists: the live lists, and what they drop: the hits of `_deny` and `_flood`. */
export const ListsDetailSchema = z.object({
  version: z.int(),
  lists: ListsSchema,
  hits: z.array(RuleHitsSchema.extend({ rule: z.enum(["_deny", "_flood"]) })),
  asOf: InstantSchema,
});

export type ListsDetail = z.output<typeof ListsDetailSchema>;
