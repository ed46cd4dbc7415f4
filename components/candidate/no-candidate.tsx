import { FlaskConical } from "lucide-react";
import { PermittedLink } from "@/components/shell/permissions";
import { EmptyState } from "@/components/ui/empty-state";
import type { Mode } from "@/lib/core/rule";

/** How one gets a candidate. */
export function NoCandidate({ id, mode }: { id: string; mode: Mode }) {
  return (
    <div className="rounded-lg border bg-surface">
      <EmptyState
        icon={<FlaskConical />}
        title="Nothing is tried beside this rule"
        actions={
          <PermittedLink
            needs="publish"
            variant="primary"
            href={`/rules/${encodeURIComponent(id)}/edit`}
          >
            Edit the rule
          </PermittedLink>
        }
      >
        {mode === "enforce"
          ? "Edit it and press “Try in shadow”: what is live goes on, and the edited rule counts in a world of its own. Here you then see what it would refuse newly and what it would let pass, and can enforce it for some clients first."
          : "This rule refuses nobody, so an edit needs nothing beside it: publish it, and its report shows what it would refuse. A rule that is enforced can be tried in another form here, while what is live goes on."}
      </EmptyState>
    </div>
  );
}
