import { z } from "zod";
import { BodySchema } from "@/lib/core/ruleset";

const { routes } = BodySchema.shape;

/** The templates themselves, or a list as the API answers them. */
export const RoutesBodySchema = z.union([routes, z.strictObject({ items: routes })]);
