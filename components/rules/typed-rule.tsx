import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

type TypedRuleProps = {
  rule: string;
  /** What typing its id confirms: "enforce", "go on". */
  todo: string;
  isThin: boolean;
  value: string;
  onValueChange: (typed: string) => void;
  /** Whether the form was sent without it. */
  isMissing: boolean;
};

/** The rule's id, typed by hand: for thin evidence, or a change that hits many. */
export function TypedRule({ rule, todo, isThin, value, onValueChange, isMissing }: TypedRuleProps) {
  const missing = isThin
    ? `Type ${rule}, or wait until the evidence is enough.`
    : `Type ${rule} to confirm whom it hits.`;
  return (
    <Field
      label={
        <>
          {isThin && "The evidence is thin. "}Type <strong className="font-mono">{rule}</strong> to{" "}
          {todo} all the same
        </>
      }
      hint="What you confirm is kept in the audit log."
      error={isMissing ? missing : undefined}
    >
      <Input code autoComplete="off" value={value} onValueChange={onValueChange} />
    </Field>
  );
}
