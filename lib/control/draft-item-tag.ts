import { revisionHash } from "@/lib/core/revision-hash";

/** The entity tag of one object of a draft: which save of it, and what it holds. */
export function draftItemTag({ edit, body }: { edit: number; body: unknown }): string {
  return `"${edit}-${revisionHash(body).slice(0, 16)}"`;
}
