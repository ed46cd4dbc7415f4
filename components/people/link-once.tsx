import { Banner } from "@/components/ui/banner";
import { CodeBlock } from "@/components/ui/code-block";
import { Time } from "@/components/ui/time";
import type { InvitationCreated } from "@/lib/core/api/people";

/** A link that nobody can see again. */
export function LinkOnce({ made }: { made: InvitationCreated }) {
  return (
    <div className="flex flex-col gap-3">
      <Banner tone="warning" title="Copy the link now: it is shown this once">
        Send it to {made.email} yourself, by a way that only they read. It opens once, until{" "}
        <Time at={made.expiresAt} format="datetime" />.
      </Banner>
      <CodeBlock code={made.link} label="link" wrap />
    </div>
  );
}
