"use client";

import { usePathname } from "next/navigation";
import { Banner } from "@/components/ui/banner";
import { ButtonLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { DraftChange } from "@/lib/core/api/draft";

/** Says on a live rule's pages that the reader's own draft changes it. */
export function DraftNotice({ change }: { change: DraftChange }) {
  const path = usePathname();
  if (path.endsWith("/edit")) return null;
  return (
    <div className="mb-4">
      <Banner
        tone="info"
        title={
          change.op === "delete"
            ? "Your draft deletes this rule; it is live until you publish"
            : "Your draft changes this rule; what you see here is live"
        }
        actions={
          <ButtonLink size="sm" href={`/draft#rule-${change.id}`}>
            Review draft
          </ButtonLink>
        }
      >
        {change.op === "put" && <UserText>{change.change.sentence}</UserText>}
      </Banner>
    </div>
  );
}
