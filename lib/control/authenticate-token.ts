import { AppError } from "@/lib/core/errors";
import type { Actor, Control } from "./context";

export async function authenticateToken(
  _control: Control,
  _input: { bearer: string },
): Promise<Actor> {
  throw new AppError("internal", "not built yet");
}
