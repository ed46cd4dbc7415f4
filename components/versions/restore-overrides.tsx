"use client";

import { useRefusal } from "@/components/shell/permissions";
import { Checkbox } from "@/components/ui/checkbox";
import { formatUtc } from "@/components/ui/format";
import { useJson } from "@/components/ui/use-json";
import { UserText } from "@/components/ui/user-text";
import { OverrideRestoreSchema } from "@/lib/core/api/versions";

const SHOWN = 10;

type RestoreOverridesProps = {
  target: number;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
};

/** Overrides stay through a rollback unless this is ticked; what it would change is shown either way. */
export function RestoreOverrides({ target, isOn, onChange }: RestoreOverridesProps) {
  const restore = useJson(`/api/v1/versions/${target}/overrides`, OverrideRestoreSchema);
  const refusal = useRefusal("keys");
  if (restore.data === undefined)
    return restore.error === undefined ? null : (
      <p className="text-sm text-muted">Overrides stay as they are ({restore.error}).</p>
    );
  const { changes, asOf } = restore.data;
  if (changes.length === 0)
    return <p className="text-sm text-muted">Overrides are as they were with v{target}.</p>;
  const more = changes.length - SHOWN;
  return (
    <div className="flex flex-col gap-1">
      <Checkbox
        label={`Also restore overrides (${changes.length} would change)`}
        hint={
          refusal ??
          `As of ${formatUtc(new Date(asOf))}, when v${target} was last in force. Without it they stay as they are; one that has expired is not revived.`
        }
        disabled={refusal !== undefined}
        checked={isOn}
        onCheckedChange={onChange}
      />
      <ul
        aria-label="What restoring overrides would change"
        className={isOn ? "ps-6 text-sm" : "ps-6 text-sm text-muted"}
      >
        {changes.slice(0, SHOWN).map(({ client, rule, sentence }) => (
          <li key={`${client} ${rule}`}>
            <UserText>{sentence}</UserText>
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </div>
  );
}
