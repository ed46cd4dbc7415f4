import { formatCount } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";

type OverrideSummaryProps = { current: number; expiring: number; ignored: number };

/** How many there are, and which ones somebody should look at. */
export function OverrideSummary({ current, expiring, ignored }: OverrideSummaryProps) {
  if (current === 0) return null;
  return (
    <p className="text-sm text-muted">
      {formatCount(current)} in all
      {expiring > 0 && (
        <>
          {" · "}
          <TextLink href="/overrides?expiring=7" prefetch={false}>
            {formatCount(expiring)} expiring this week
          </TextLink>
        </>
      )}
      {ignored > 0 && (
        <>
          {" · "}
          <TextLink href="/overrides?state=ignored" prefetch={false}>
            {formatCount(ignored)} ignored by gateways
          </TextLink>
        </>
      )}
    </p>
  );
}
