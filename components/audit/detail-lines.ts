import { valueText } from "@/components/rules/field-diffs";

/** The further details of an audit row, by name; what is empty says nothing. */
export function detailLines(details: Record<string, unknown>): { name: string; text: string }[] {
  return Object.entries(details).flatMap(([name, value]) => {
    const text = valueText(value);
    return text === null || text === "" || text === "[]" || text === "{}"
      ? []
      : [{ name: words(name), text }];
  });
}

/** `acknowledgedGaps` → `acknowledged gaps` */
function words(name: string): string {
  return name.replace(
    /([a-z])([A-Z])/g,
    (_match, before, after) => `${before} ${after.toLowerCase()}`,
  );
}
