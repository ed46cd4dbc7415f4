import { z } from "zod";
import { ERROR_CODES } from "../errors";

/** Every error answer of `/api/v1`: RFC 9457, `application/problem+json`. */
export const ApiProblemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(ERROR_CODES),
  requestId: z.string(),
  /** One sentence per wrong field, on 422. */
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

export type ApiProblem = z.output<typeof ApiProblemSchema>;
