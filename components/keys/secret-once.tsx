import { Banner } from "@/components/ui/banner";
import { CodeBlock } from "@/components/ui/code-block";

type SecretOnceProps = {
  /** Such as "API key". */
  what: string;
  secret: string;
  /** A command that uses it. */
  command: string;
};

/** A secret that nobody can see again. */
export function SecretOnce({ what, secret, command }: SecretOnceProps) {
  return (
    <div className="flex flex-col gap-3">
      <Banner tone="warning" title={`Copy the ${what} now: it is shown this once`}>
        Headgate keeps only a keyed hash of it.
      </Banner>
      <CodeBlock code={secret} label={what} wrap />
      <div>
        <p className="mb-1 text-sm font-medium">Try it</p>
        <CodeBlock code={command} label={`command with the ${what}`} wrap />
      </div>
    </div>
  );
}
