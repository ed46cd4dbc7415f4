import { cn } from "@/components/ui/cn";
import { UserText } from "@/components/ui/user-text";

type Kind = "production" | "staging" | "development" | "unnamed";

const kinds: Record<Kind, { style: string; dot: string }> = {
  production: { style: "border-danger-border bg-danger-subtle text-danger", dot: "bg-danger" },
  staging: { style: "border-warning-border bg-warning-subtle text-warning", dot: "bg-warning" },
  development: { style: "border-success-border bg-success-subtle text-success", dot: "bg-success" },
  unnamed: { style: "border-border-strong/60 bg-sunken text-text", dot: "bg-muted" },
};

/** The environment's own name, coloured by what kind its name says it is. */
export function EnvironmentBadge({ environment }: { environment: string }) {
  const { style, dot } = kinds[kindOf(environment)];
  return (
    <span
      title={`Environment: ${environment}`}
      className={cn(
        "inline-flex h-6 min-w-0 items-center gap-1.5 rounded border px-2 text-sm font-semibold",
        style,
      )}
    >
      <span aria-hidden className={cn("size-2 shrink-0 rounded-full", dot)} />
      <span className="sr-only">Environment</span>
      <UserText truncate className="max-w-32 sm:max-w-48">
        {environment}
      </UserText>
    </span>
  );
}

// An unknown name is treated as production: too careful is the safe side. `default` says that nobody gave one.
function kindOf(environment: string): Kind {
  if (environment === "default") return "unnamed";
  if (/^(dev|develop|development|local|demo|test|ci|sandbox)\b/i.test(environment))
    return "development";
  if (/^(stag|staging|stage|pre|preprod|preview|qa|uat)\b/i.test(environment)) return "staging";
  return "production";
}
