import { AppError } from "@/lib/core/errors";
import type { Control } from "./context";
import type { Session, SetCookie } from "./session";

export async function signIn(
  _control: Control,
  _input: { email: string; password: string; headers: Headers },
): Promise<{ session: Session; cookies: SetCookie[] }> {
  throw new AppError("internal", "not built yet");
}
