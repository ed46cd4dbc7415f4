import type { Banner } from "@/lib/core/api/overview";
import type { Reader } from "@/lib/db/client";
import { actorColumn } from "@/lib/db/json";
import { getLive } from "./live-version";
import { wordsFor } from "./stop-enforcing";

/** The worker looks each second; this late, it does not run. */
const LATE_MS = 30_000;

/** A line per stop of which something is still in shadow. Asks for the live version only while there is one. */
export async function stopBanners(reader: Reader, nowMs: number): Promise<Banner[]> {
  const stops = await reader.enforcementStop.findMany({
    where: { endedAt: null },
    orderBy: { createdAt: "desc" },
  });
  if (stops.length === 0) return [];
  const { content } = await getLive(reader);
  const shadowed = new Set(
    content.rules.filter(({ mode }) => mode === "shadow").map(({ id }) => id),
  );
  return stops.flatMap(({ scope, rules, reason, actor, expiresAt }): Banner[] => {
    const still = rules.filter((id) => shadowed.has(id));
    if (still.length === 0) return [];
    const what = wordsFor(scope === "all" ? "all" : "rules", still);
    const at = expiresAt
      .toISOString()
      .replace(/:\d\d\.\d+Z$/, " UTC")
      .replace("T", " ");
    const until =
      expiresAt.getTime() + LATE_MS < nowMs
        ? `was due to end at ${at}: does the worker run? It stays in shadow until then`
        : `until ${at}`;
    return [
      {
        severity: "warning",
        text: `${actorColumn(actor).name} stopped enforcing ${what} ${until}: ${reason}`,
        href: "/stops",
      },
    ];
  });
}
