import { Card } from "@/components/ui/card";
import { formatMs } from "@/components/ui/format";
import { TextLink } from "@/components/ui/link";
import { Status } from "@/components/ui/status";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { Enforcement } from "@/lib/core/api/enforcement";
import { enforcementWords } from "./enforcement-words";
import type { GuardrailActions } from "./guardrail-actions";
import { GuardrailButtons } from "./guardrail-buttons";
import { guardrailSentence } from "./guardrail-sentence";
import { measuredBounds } from "./measured-bounds";
import { PredictionCheck } from "./prediction-check";

type EnforcementCardProps = {
  enforcement: Enforcement;
  actions: GuardrailActions;
};

/** How the last change that enforced the rule, or made it stricter, fares: its watch, and what was foretold. */
export function EnforcementCard({ enforcement, actions }: EnforcementCardProps) {
  const { version, since, by, change, undoneBy, guardrail, protectedPlans, predicted, state } =
    enforcement;
  const { tone, word, sentence } = enforcementWords(enforcement);
  const isOpen = state === "watching" || state === "held";
  return (
    <section aria-label="How the change fares">
      <Card
        title="How the change fares"
        description={
          <>
            <TextLink href={`/versions/${version}`}>v{version}</TextLink>{" "}
            {enforcement.lane === "candidate" && "for a share of clients "}by{" "}
            <UserText>{by.name}</UserText>, <Time at={since} />: <UserText>{change}</UserText>
          </>
        }
        actions={<GuardrailButtons enforcement={enforcement} actions={actions} />}
      >
        <div className="flex flex-col gap-4">
          <div role="status" className="flex flex-col gap-1">
            <Status tone={tone} className="font-semibold">
              {word}
            </Status>
            <p className="max-w-prose break-words">
              <UserText>{sentence}</UserText>{" "}
              {undoneBy !== null && (
                <TextLink href={`/versions/${undoneBy}`}>What v{undoneBy} changed</TextLink>
              )}
            </p>
            {state === "undone" && (
              <p className="text-sm text-muted">
                Everybody is told until somebody <TextLink href="/alerts">acknowledges it</TextLink>
                .
              </p>
            )}
          </div>
          {isOpen && guardrail !== null && (
            <>
              <p className="max-w-prose text-sm text-muted">
                {guardrailSentence(guardrail, { protectedPlans, predicted })}
              </p>
              <TimeLeft enforcement={enforcement} watchSeconds={guardrail.watchSeconds} />
              <Bounds enforcement={enforcement} />
            </>
          )}
          <PredictionCheck enforcement={enforcement} />
        </div>
      </Card>
    </section>
  );
}

function TimeLeft({
  enforcement: { watchedSeconds, judgement },
  watchSeconds,
}: {
  enforcement: Enforcement;
  watchSeconds: number;
}) {
  const left = Math.max(0, watchSeconds - watchedSeconds);
  const share = Math.min(1, watchedSeconds / watchSeconds);
  return (
    <div className="max-w-prose">
      <p className="flex flex-wrap justify-between gap-x-4 text-sm">
        <span className="tabular-nums">{formatMs(left * 1000)} left to watch</span>
        {judgement !== null && (
          <span className="text-muted">
            last look <Time at={judgement.at} show="age" />
          </span>
        )}
      </p>
      <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-sunken">
        <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

const STATES = {
  within: { tone: "success", word: "within" },
  crossed: { tone: "danger", word: "crossed" },
  unknown: { tone: "neutral", word: "not judged yet" },
} as const;

function Bounds({ enforcement }: { enforcement: Enforcement }) {
  const rows = measuredBounds(enforcement);
  if (rows.length === 0) return null;
  return (
    <Table label="The guardrail's bounds, and what is measured now" stack>
      <TableHead>
        <Tr>
          <Th>Bound</Th>
          <Th>Allowed</Th>
          <Th>Measured now</Th>
          <Th>State</Th>
        </Tr>
      </TableHead>
      <TableBody>
        {rows.map(({ name, bound, now, state }) => (
          <Tr key={name}>
            <RowHead>{name}</RowHead>
            <Td label="Allowed">{bound}</Td>
            <Td label="Measured now" className="tabular-nums">
              {now}
            </Td>
            <Td label="State">
              <Status tone={STATES[state].tone}>{STATES[state].word}</Status>
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
