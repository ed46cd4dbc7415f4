import { PermittedLink } from "@/components/shell/permissions";
import { ButtonLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import { clientHref, newOverrideHref, overridesHref } from "./client-href";

/** Above a list that is one customer's: what can be asked of the whole of it. */
export function CustomerLinks({ customer }: { customer: string }) {
  const client = `customer:${customer}`;
  return (
    <section
      aria-label="Customer"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border bg-surface px-4 py-2.5"
    >
      <p className="min-w-0">
        <span className="text-muted">Customer</span>{" "}
        <UserText code className="break-all font-medium">
          {customer}
        </UserText>
      </p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink size="sm" href={clientHref(client)}>
          Why was it limited?
        </ButtonLink>
        <ButtonLink size="sm" href={overridesHref(client)}>
          Its overrides
        </ButtonLink>
        <PermittedLink size="sm" needs="raise" href={newOverrideHref(client)}>
          Give it an override
        </PermittedLink>
      </div>
    </section>
  );
}
