import { AppError } from "@/lib/core/errors";
import type { VersionId } from "@/lib/core/version";
import type { Control } from "./context";

export async function ensureInstallation(
  _control: Control,
  _input: { demo: boolean },
): Promise<{ version: VersionId; created: boolean; demoKey?: string }> {
  throw new AppError("internal", "not built yet");
}
