import { EmptyState } from "@/components/ui/empty-state";
import { ButtonLink } from "@/components/ui/link";

export default function NotFound() {
  return (
    <div className="rounded-lg border bg-surface">
      <EmptyState
        title="Nothing is here"
        actions={<ButtonLink href="/rules">All rules</ButtonLink>}
      >
        It may have been deleted, or rolled back to a version without it. Versions and the audit log
        say when.
      </EmptyState>
    </div>
  );
}
