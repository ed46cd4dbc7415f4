import { Minus, Pencil, Plus, RotateCcw, TriangleAlert } from "lucide-react";
import { FieldDiffs } from "@/components/rules/field-diffs";
import { Badge } from "@/components/ui/badge";
import { cn } from "@/components/ui/cn";
import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { ObjectChange } from "@/lib/core/api/change";
import { splitChanges } from "./split-changes";

type ObjectChangesProps = {
  objects: readonly ObjectChange[];
  /** Said when nothing differs. */
  empty: string;
};

const OPS = {
  added: { Icon: Plus, word: "added" },
  changed: { Icon: Pencil, word: "changed" },
  removed: { Icon: Minus, word: "removed" },
} as const;

/** What differs between two versions, object by object, the loud ones first. */
export function ObjectChanges({ objects, empty }: ObjectChangesProps) {
  if (objects.length === 0) return <p className="px-4 pb-4 text-muted">{empty}</p>;
  return (
    <ul className="flex flex-col">
      {splitChanges(objects).map((object) => (
        <li key={`${object.kind} ${object.id}`} className="border-t first:border-t-0">
          <ObjectHead object={object} />
          {object.op === "changed" && object.diff.length > 0 && (
            <div className="border-t">
              <FieldDiffs
                label={`What changes in ${object.kind} ${object.id}`}
                diffs={object.diff}
                framed={false}
              />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function ObjectHead({ object }: { object: ObjectChange }) {
  const { kind, id, name, op, sentence, loud, countersRestart } = object;
  const { Icon, word } = OPS[op];
  const title = name === "" || name === id ? id : name;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <span className="inline-flex min-w-0 items-center gap-1.5 font-medium">
        <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
        <span className="text-muted">{kind}</span>
        {kind === "rule" && op !== "removed" ? (
          <TextLink href={`/rules/${encodeURIComponent(id)}`} prefetch={false}>
            <UserText truncate className="max-w-80">
              {title}
            </UserText>
          </TextLink>
        ) : (
          <UserText truncate className="max-w-80">
            {title}
          </UserText>
        )}
        <span className="sr-only">{word}</span>
      </span>
      <span className={cn("min-w-0 text-sm", loud ? "font-semibold text-danger" : "text-muted")}>
        {loud && <TriangleAlert aria-hidden className="me-1 mb-0.5 inline size-3.5" />}
        <UserText>{sentence}</UserText>
      </span>
      {countersRestart && (
        <Badge tone="warning" icon={<RotateCcw aria-hidden />}>
          counters restart
        </Badge>
      )}
    </div>
  );
}
