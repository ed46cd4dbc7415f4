import { oneOf } from "../parse";
import { HitsQuerySchema } from "./hits";
import { ReportQuerySchema } from "./report";

const format = oneOf("format", ["csv", "json"]);

/** GET /rules/{id}/report/export: the same figures as a file. */
export const ReportExportQuerySchema = ReportQuerySchema.safeExtend({ format });

/** GET /rules/{id}/hits/export: the same search, all of it. */
export const HitsExportQuerySchema = HitsQuerySchema.omit({ limit: true, cursor: true }).extend({
  format,
});
