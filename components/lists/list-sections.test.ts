import { expect, test } from "vitest";
import { ListsSchema } from "../../lib/core/list-entry";
import { listSections, ROWS_MAX } from "./list-sections";

const changes = {
  allow: { change: null },
  deny: { change: "deny list: …" },
  flood: { change: null },
};

function deny(base: unknown[], drafted: unknown[], search = "") {
  const [section] = listSections({
    base: ListsSchema.parse({ deny: base }),
    drafted: ListsSchema.parse({ deny: drafted }),
    changes,
    hits: [],
    search,
  });
  if (section?.name !== "deny") throw new Error("deny comes first");
  return section;
}

const words = (section: ReturnType<typeof deny>) =>
  section.rows.map(({ value, state }) => `${value} ${state}`);

test("what the draft adds, changes, takes off and leaves alone is told apart, each in its place", () => {
  const base = ["::1", "::2", "::3", "::4"].map((value) => ({ value, reason: "why" }));
  const drafted = [
    { value: "::4", reason: "why" },
    { value: "::2", reason: "another" },
    { value: "ip:::1", reason: "why" },
    { value: "::5", reason: "why" },
  ];
  const section = deny(base, drafted);
  expect(words(section)).toEqual([
    "ip:::1 changed",
    "::2 changed",
    "::3 removed",
    "::4 live",
    "::5 added",
  ]);
  expect(section).toMatchObject({ total: 4, found: 5, change: "deny list: …", hits: null });
});

test("a search looks at values and reasons, in any case", () => {
  const base = [
    { value: "key:k1", reason: "Leaked" },
    { value: "key:k2", reason: "unpaid" },
  ];
  expect(words(deny(base, base, " leaked "))).toEqual(["key:k1 live"]);
  expect(words(deny(base, base, "K2"))).toEqual(["key:k2 live"]);
  expect(deny(base, base, "nobody")).toMatchObject({ rows: [], found: 0, total: 2 });
});

test("of a long list the first are shown, and all are counted", () => {
  const base = Array.from({ length: ROWS_MAX + 5 }, (_, i) => ({ value: `key:k${i}` }));
  const section = deny(base, base);
  expect(section.rows).toHaveLength(ROWS_MAX);
  expect(section.found).toBe(ROWS_MAX + 5);
});
