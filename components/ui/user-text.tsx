import { cn } from "./cn";

type UserTextProps = {
  children: string;
  /** Monospaced, for ids and addresses. */
  code?: boolean;
  /** Cut to one line; the whole text stays in the title and for screen readers. */
  truncate?: boolean;
  className?: string;
};

/** Text that somebody typed: isolated, so that its direction cannot disturb the line around it. */
export function UserText({ children, code = false, truncate = false, className }: UserTextProps) {
  return (
    <bdi
      title={truncate ? children : undefined}
      className={cn(
        code && "font-mono text-[0.9285em]",
        truncate ? "inline-block max-w-full truncate align-bottom" : "break-words",
        className,
      )}
    >
      {children}
    </bdi>
  );
}
