import { NewOverrideButton } from "@/components/overrides/new-override-button";
import type { OverrideActions, RuleChoice } from "@/components/overrides/override-actions";
import { Badge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { KeyValue } from "@/components/ui/key-value";
import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { ClientDetail } from "@/lib/core/api/clients";
import { clientHref } from "./client-href";
import { CopyAnswer } from "./copy-answer";
import { type ResetAction, ResetButton } from "./reset-button";

type ClientAnswerProps = {
  detail: ClientDetail;
  dialog: {
    rules: readonly RuleChoice[];
    ipv6PrefixLength: number;
    owner: string;
    actions: OverrideActions;
  };
  reset: ResetAction;
};

/** Who it is, the one sentence, and what can be done. */
export function ClientAnswer({ detail, dialog, reset }: ClientAnswerProps) {
  const { client, plan, customer, name, prefix, answer, isRevoked, list } = detail;
  const chosen = { client, plan, name: name ?? "", prefix };
  const rule = dialog.rules.some(({ id }) => id === answer.rule) ? answer.rule : null;
  return (
    <Card
      title={<UserText className="font-mono break-all">{client}</UserText>}
      actions={
        <>
          <CopyAnswer text={ticketText(detail)} />
          <NewOverrideButton
            key={client}
            start={{ client: chosen, ...(rule === null ? {} : { rule }) }}
            {...dialog}
          />
          <ResetButton client={client} customer={customer} action={reset} />
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p
          data-testid="client-answer"
          className="rounded-md border bg-sunken px-3 py-2.5 font-medium break-words"
        >
          <bdi>{answer.sentence}</bdi>
        </p>
        <div className="flex flex-wrap gap-1.5 empty:hidden">
          {isRevoked && <Badge tone="warning">revoked: counts as nobody’s</Badge>}
          {list !== null && (
            <Badge tone={list.list === "allow" ? "success" : "danger"}>
              {`on the ${list.list} list: ${list.value}`}
            </Badge>
          )}
        </div>
        <KeyValue
          items={[
            ...(name === null ? [] : [{ label: "Name", value: <UserText>{name}</UserText> }]),
            ...(prefix === ""
              ? []
              : [{ label: "Key begins", value: <code className="font-mono">{prefix}…</code> }]),
            { label: "Plan", value: <UserText>{plan}</UserText> },
            ...(client === `customer:${customer}`
              ? [
                  {
                    label: "Keys",
                    value: (
                      <TextLink
                        href={`/keys?customer=${encodeURIComponent(customer ?? "")}`}
                        prefetch={false}
                      >
                        Its keys, each with limits of its own
                      </TextLink>
                    ),
                  },
                ]
              : []),
            ...(customer === null || client === `customer:${customer}`
              ? []
              : [
                  {
                    label: "Customer",
                    value: (
                      <TextLink href={clientHref(`customer:${customer}`)} prefetch={false}>
                        <UserText code>{customer}</UserText>
                      </TextLink>
                    ),
                  },
                ]),
            ...(answer.requestId === null
              ? []
              : [
                  {
                    label: "Request id",
                    value: <UserText className="font-mono break-all">{answer.requestId}</UserText>,
                  },
                ]),
          ]}
        />
      </div>
    </Card>
  );
}

function ticketText({ client, prefix, answer }: ClientDetail): string {
  const who = prefix === "" ? client : `key ${prefix}…`;
  const request = answer.requestId === null ? "" : `, request ${answer.requestId}`;
  return `${who}${request}: ${answer.sentence}`;
}
