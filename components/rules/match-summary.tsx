import { UserText } from "@/components/ui/user-text";
import type { Match } from "@/lib/core/rule";

/** Every condition of a rule on a line of its own. */
export function MatchSummary({ match }: { match: Match }) {
  const lines: { label: string; items: readonly string[] }[] = [
    { label: "methods", items: match.methods ?? [] },
    { label: "paths", items: match.routes ?? [] },
    { label: "plans", items: match.plans ?? [] },
    { label: "addresses", items: match.ips ?? [] },
    ...Object.entries(match.headers ?? {}).map(([name, values]) => ({
      label: `header ${name}`,
      items: values.length === 0 ? ["any value"] : values,
    })),
  ].filter(({ items }) => items.length > 0);
  const { authenticated } = match;
  if (lines.length === 0 && authenticated === undefined) return "every request";
  return (
    <ul className="flex flex-col gap-0.5">
      {lines.map(({ label, items }) => (
        <li key={label}>
          <span className="text-muted">{label} </span>
          <UserText code>{items.join(", ")}</UserText>
        </li>
      ))}
      {authenticated !== undefined && (
        <li>{authenticated ? "only with a valid key" : "only without a key"}</li>
      )}
    </ul>
  );
}
