import { formatPlural } from "@/components/ui/format";
import { UserText } from "@/components/ui/user-text";
import type { VersionDiff } from "@/lib/core/api/versions";

const RULES_SHOWN = 3;

/** How many clients' limits rise or fall, by plan. */
export function ClientEffect({ effect }: Pick<VersionDiff, "effect">) {
  const { raised, lowered, plans } = effect;
  if (plans.length === 0)
    return <p className="text-sm text-muted">No client's limit rises or falls.</p>;
  return (
    <section aria-label="Whose limits rise or fall" className="text-sm">
      <p className="font-medium">
        Limits rise for {formatPlural(raised, "key")} and fall for {formatPlural(lowered, "key")}.
      </p>
      <ul className="mt-0.5 flex flex-col gap-0.5 text-muted">
        {plans.map(({ plan, keys, raised: up, lowered: down }) => (
          <li key={plan}>
            <UserText code>{plan}</UserText>
            {plan === "anonymous" ? " (without a key)" : `, ${formatPlural(keys, "key")}`}
            {up.length > 0 && `: higher by ${names(up)}`}
            {down.length > 0 && `${up.length > 0 ? ";" : ":"} lower by ${names(down)}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function names(ids: readonly string[]): string {
  const more = ids.length - RULES_SHOWN;
  return `${ids.slice(0, RULES_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
