import { AppError } from "@/lib/core/errors";
import type { Control } from "./context";
import type { SetCookie } from "./session";

export async function signOut(
  _control: Control,
  _input: { headers: Headers },
): Promise<{ cookies: SetCookie[] }> {
  throw new AppError("internal", "not built yet");
}
