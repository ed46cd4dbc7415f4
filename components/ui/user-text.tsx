import { cn } from "./cn";

type UserTextProps = {
  children: string;
  /** Monospaced, for ids and addresses. */
  code?: boolean;
  /** Cut to one line; the whole text stays in the title and for screen readers. */
  truncate?: boolean;
  className?: string;
};

/**
 * Characters that turn the text after them round are named instead: a sentence that quotes a name cannot isolate it.
 * Hebrew and Arabic read right without them.
 */
export function shownText(text: string): string {
  return text.replace(
    /[\u202A-\u202E\u2066-\u2069]/g,
    (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`,
  );
}

/** Text that somebody typed: isolated, so that its direction cannot disturb the line around it. */
export function UserText({ children, code = false, truncate = false, className }: UserTextProps) {
  return (
    <bdi
      title={truncate ? shownText(children) : undefined}
      className={cn(
        code && "font-mono text-[0.9285em]",
        truncate ? "inline-block max-w-full truncate align-bottom" : "break-words",
        className,
      )}
    >
      {shownText(children)}
    </bdi>
  );
}
