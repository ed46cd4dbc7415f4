import { AppError } from "@/lib/core/errors";
import type { Control } from "./context";
import type { Session } from "./session";

export async function getSession(
  _control: Control,
  _input: { headers: Headers },
): Promise<Session | null> {
  throw new AppError("internal", "not built yet");
}
