/** One line of the benches' output. `goal` as people read it, such as `<= 0.6`; null where there is none yet. */
export type Figure = {
  bench: string;
  value: number;
  unit: string;
  goal: string | null;
  ok: boolean;
};

export function figure(
  bench: string,
  value: number,
  unit: string,
  goal?: { atMost: number } | { atLeast: number },
): Figure {
  const rounded = Number(value.toPrecision(3));
  if (goal === undefined) return { bench, value: rounded, unit, goal: null, ok: true };
  const ok = "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
  return {
    bench,
    value: rounded,
    unit,
    goal: "atMost" in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`,
    ok,
  };
}
