import { AppError } from "@/lib/core/errors";
import type { Control } from "./context";

export async function ensureAdmin(
  _control: Control,
  _input: { email: string; password: string; resetPassword: boolean },
): Promise<{ id: string; created: boolean }> {
  throw new AppError("internal", "not built yet");
}
