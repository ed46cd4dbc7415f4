import { Field } from "./field";
import { Input } from "./input";

type ReasonFieldProps = {
  value: string;
  onValueChange: (reason: string) => void;
  /** Whether the form was sent once: before that nothing is missing yet. */
  isAsked: boolean;
  placeholder?: string;
};

/** A line that says why, required. */
export function ReasonField({ value, onValueChange, isAsked, placeholder }: ReasonFieldProps) {
  return (
    <Field
      label="Reason"
      hint="Goes to the audit log."
      error={isAsked && value.trim() === "" ? "Say in a line why." : undefined}
    >
      <Input
        value={value}
        maxLength={500}
        autoComplete="off"
        placeholder={placeholder}
        onValueChange={onValueChange}
      />
    </Field>
  );
}
