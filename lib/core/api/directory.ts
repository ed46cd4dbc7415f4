import { z } from "zod";
import { DirectoryDeltaSchema, DirectoryPositionSchema } from "../directory";

/** GET /directory?since=<epoch>.<seq>, scope gateway. Without `since`, or when it is too old: load the base. */
export const DirectoryQuerySchema = z.strictObject({
  since: z
    .union([
      DirectoryPositionSchema,
      z
        .string()
        .regex(/^\d{1,10}\.\d{1,15}$/, {
          error: "since must be <epoch>.<seq>, such as 1767225600.42",
        })
        .transform((text): { epoch: number; seq: number } => {
          const [epoch = "0", seq = "0"] = text.split(".");
          return { epoch: Number(epoch), seq: Number(seq) };
        }),
    ])
    .optional(),
});

export const DirectoryAnswerSchema = z.discriminatedUnion("kind", [
  /** GET /directory/base has it. */
  z.object({ kind: z.literal("base"), position: DirectoryPositionSchema }),
  /** Gap-free from `since`; empty when nothing is newer, else there may be more after `position`. */
  z.object({
    kind: z.literal("deltas"),
    position: DirectoryPositionSchema,
    deltas: z.array(DirectoryDeltaSchema),
  }),
]);

export type DirectoryQuery = z.output<typeof DirectoryQuerySchema>;
export type DirectoryAnswer = z.output<typeof DirectoryAnswerSchema>;
