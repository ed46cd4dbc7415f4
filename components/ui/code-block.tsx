import { cn } from "./cn";
import { CopyButton } from "./copy-button";
import { ScrollRegion } from "./scroll-region";

type CodeBlockProps = {
  code: string;
  /** What it is, for screen readers and the copy button. */
  label?: string;
  wrap?: boolean;
  className?: string;
};

export function CodeBlock({ code, label = "code", wrap = false, className }: CodeBlockProps) {
  return (
    <div className={cn("relative min-w-0 rounded-md border bg-sunken", className)}>
      <ScrollRegion label={label} className="overflow-x-auto -outline-offset-2">
        <pre
          className={cn(
            "w-max min-w-full py-2.5 ps-3 pe-11 font-mono text-sm",
            wrap && "w-auto whitespace-pre-wrap break-all",
          )}
        >
          <code dir="ltr">{code}</code>
        </pre>
      </ScrollRegion>
      <span className="absolute end-1.5 top-1 rounded-md bg-sunken">
        <CopyButton text={code} label={`Copy ${label}`} />
      </span>
    </div>
  );
}
