import { Banner } from "@/components/ui/banner";
import { ButtonLink } from "@/components/ui/link";

/** Nothing is live yet: somebody else must look first. */
export function RequestedBanner({ id }: { id: string }) {
  return (
    <Banner
      tone="info"
      title="Waits for a second person"
      actions={
        <ButtonLink size="sm" href={`/approvals#${id}`}>
          Show the request
        </ButtonLink>
      }
    >
      It becomes enforced or stricter, so somebody else who may publish must approve it. Nothing is
      live yet.
    </Banner>
  );
}
