import { Banner } from "@/components/ui/banner";
import { CodeBlock } from "@/components/ui/code-block";

/** A secret that nobody can see again. */
export function SecretOnce({ secret }: { secret: string }) {
  return (
    <div className="flex flex-col gap-3">
      <Banner tone="warning" title="Copy the secret now: it is shown this once">
        The receiver verifies the webhook-signature header with it (Standard Webhooks).
      </Banner>
      <CodeBlock code={secret} label="secret" wrap />
    </div>
  );
}
