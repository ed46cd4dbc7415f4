import type { Health } from "@/lib/core/api/health";
import { AppError } from "@/lib/core/errors";
import type { Control } from "./context";

export async function getHealth(_control: Control): Promise<Health> {
  throw new AppError("internal", "not built yet");
}
