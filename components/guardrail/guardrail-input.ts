import { type Guardrail, GuardrailSchema } from "@/lib/core/guardrail";
import { fieldErrors } from "@/lib/core/parse";

export type GuardrailAction = Guardrail["action"] | "none";

/** A guardrail while somebody fills it in: any field may be wrong, and unknown keys are kept. */
export type GuardrailForm = {
  value: unknown;
  set(value: unknown): void;
  /** Of one of its fields. */
  errorAt(key: keyof Guardrail): string | undefined;
};

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function actionOf(value: unknown): GuardrailAction {
  if (value === null) return "none";
  return fieldsOf(value).action === "hold" ? "hold" : "undo";
}

export type ParsedGuardrail = {
  /** Undefined while a field is wrong; null: none is wanted. */
  guardrail: Guardrail | null | undefined;
  errorAt: GuardrailForm["errorAt"];
};

export function parseGuardrail(value: unknown): ParsedGuardrail {
  const parsed = GuardrailSchema.nullable().safeParse(value);
  if (parsed.success) return { guardrail: parsed.data, errorAt: () => undefined };
  const errors = fieldErrors(parsed.error);
  return {
    guardrail: undefined,
    errorAt: (key) =>
      errors.find(({ path }) => path === key || path.startsWith(`${key}.`))?.message,
  };
}
