import { ModeBadge } from "@/components/rules/mode-badge";
import { UserText } from "@/components/ui/user-text";
import type { ObjectChange } from "@/lib/core/api/change";
import { effectOf, type ModeMove } from "./split-changes";

/** Which rules begin or stop to refuse requests. */
export function EffectList({ objects }: { objects: readonly ObjectChange[] }) {
  const { turnsOn, turnsOff, others } = effectOf(objects);
  return (
    <ul aria-label="Rules that change mode" className="flex flex-col gap-1">
      {turnsOn.length === 0 && turnsOff.length === 0 && (
        <li>No rule begins or stops refusing requests.</li>
      )}
      <Moves moves={turnsOn} words="will refuse requests" isLoud />
      <Moves moves={turnsOff} words="will stop refusing requests" />
      <Moves moves={others} words="refuses nothing, before or after" />
    </ul>
  );
}

type MovesProps = { moves: readonly ModeMove[]; words: string; isLoud?: boolean };

function Moves({ moves, words, isLoud = false }: MovesProps) {
  return moves.map(({ id, name, from, to }) => (
    <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <UserText truncate className="max-w-72 font-medium">
        {name}
      </UserText>
      <span className={isLoud ? "font-semibold text-danger" : ""}>{words}</span>
      <span className="inline-flex items-center gap-1 text-sm text-muted">
        {from === null ? "not there" : <ModeBadge mode={from} />} →{" "}
        {to === null ? "not there" : <ModeBadge mode={to} />}
      </span>
    </li>
  ));
}
