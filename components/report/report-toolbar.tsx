import { TextLink } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Report } from "@/lib/core/api/report";
import type { RuleRevision } from "@/lib/core/api/rules";
import { FilterChips } from "./filter-chips";
import { FilterDialog } from "./filter-dialog";
import { ModeTabs } from "./mode-tabs";
import { RangePicker } from "./range-picker";
import { narrowed, type ReportFilter, reportHref } from "./report-address";
import type { RangeName } from "./time-range";

type ReportToolbarProps = {
  path: string;
  report: Pick<Report, "mode" | "from" | "to">;
  /** The rule may be counted in shadow and enforced. */
  hasModes: boolean;
  /** The address's keys that name the time. */
  time: Record<string, string | undefined>;
  /** As the address has it. */
  mode: "shadow" | "enforce" | undefined;
  filter: ReportFilter;
  /** Null between two instants. */
  rangeName: RangeName | null;
  /** Where the figures begin, when that is why this time is shown. */
  chosenAt: number | null;
  plans: readonly { id: string; name: string }[];
  /** Newest first. */
  revisions: readonly RuleRevision[];
};

/** Mode, time and what narrows the figures: all of it stands in the address. */
export function ReportToolbar(props: ReportToolbarProps) {
  const { path, report, hasModes, time, mode, filter, rangeName, chosenAt, plans } = props;
  const { revisions } = props;
  // Another mode is of other revisions.
  const { revision, ...others } = filter;
  const keys = { ...time, mode };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {hasModes && <ModeTabs path={path} query={{ ...time, ...others }} active={report.mode} />}
        <RangePicker
          path={path}
          query={{ mode, ...filter }}
          active={rangeName}
          from={report.from}
          to={report.to}
        />
        <FilterDialog
          path={path}
          keys={keys}
          filter={filter}
          plans={plans.map(({ id, name }) => ({ id, name }))}
          revisions={revisions
            .filter((each) => each.mode === report.mode)
            .map((each) => ({ revision: each.revision, words: each.sentence }))}
        />
        <FilterChips path={path} keys={keys} filter={filter} plans={plans} />
        {chosenAt !== null && (
          <span className="text-sm text-muted">
            Chosen as its figures begin at <Time at={chosenAt} format="minute" />
          </span>
        )}
      </div>
      {revision === undefined && (
        <MixedRevisions
          report={report}
          revisions={revisions}
          onlyHref={(newest) => reportHref(path, keys)(narrowed(filter, { revision: newest }))}
        />
      )}
    </div>
  );
}

type MixedProps = Pick<ReportToolbarProps, "report" | "revisions"> & {
  onlyHref: (revision: string) => string;
};

/** Figures of a limit that is no more are none of the limit that is asked about. */
function MixedRevisions({ report: { mode, from, to }, revisions, onlyHref }: MixedProps) {
  const i = revisions.findIndex((each) => each.mode === mode);
  const [newest, before] = [revisions[i], revisions[i + 1]];
  if (newest === undefined || before?.mode !== mode) return null;
  const beganMs = Date.parse(newest.createdAt);
  if (beganMs <= Date.parse(from) || beganMs >= Date.parse(to)) return null;
  return (
    <p className="text-sm">
      Revision {newest.revision} counts since <Time at={newest.createdAt} format="minute" />; what
      is older was counted under another
      {before.sentence !== newest.sentence && (
        <>
          : <UserText>{before.sentence}</UserText>
        </>
      )}
      .{" "}
      <TextLink href={onlyHref(String(newest.revision))} prefetch={false}>
        Only revision {newest.revision}
      </TextLink>
    </p>
  );
}
