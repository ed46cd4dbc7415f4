"use client";

import { useId, useState, useTransition } from "react";
import { useRuleFormState } from "@/components/rules/rule-form";
import { useRefusal } from "@/components/shell/permissions";
import { type ActionFailure, callAction } from "@/components/ui/action-result";
import { Combobox } from "@/components/ui/combobox";
import { Dialog } from "@/components/ui/dialog";
import { DialogFormActions } from "@/components/ui/dialog-form-actions";
import { Field, FormError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { UserText } from "@/components/ui/user-text";
import type { OverrideRow } from "@/lib/core/api/overrides";
import { amountsOf } from "@/lib/core/limit";
import { countByWords } from "@/lib/core/limit-sentence";
import { type OverrideSubject, overrideSubjects } from "@/lib/core/override-subject";
import { amountInput, startOf } from "./amount-input";
import { ClientPicker } from "./client-picker";
import { type Expiry, ExpiryField, expiryMs } from "./expiry-field";
import type {
  ChosenClient,
  OverrideActions,
  OverrideSubjectChoice,
  RuleChoice,
} from "./override-actions";
import { OverrideAmount } from "./override-amount";
import { newOverrideId } from "./override-id";
import { OverridePreview } from "./override-preview";
import { subjectsWords } from "./override-words";

type OverrideDialogProps = {
  /** One that is there, to be changed. */
  row?: OverrideRow;
  start?: OverrideSubjectChoice;
  rules: readonly RuleChoice[];
  ipv6PrefixLength: number;
  /** Who it is put down to. */
  owner: string;
  actions: OverrideActions;
  onClose: () => void;
};

const DEFAULT_HOURS = 7 * 24;
const RAISE_HOURS = 24;

/** Gives one client a limit of its own for a time, or changes what it has. */
export function OverrideDialog(props: OverrideDialogProps) {
  const { row, start, rules, ipv6PrefixLength, actions, onClose } = props;
  const formId = useId();
  const isFree = useRefusal("keys") === undefined;
  const [client, setClient] = useState<ChosenClient | null>(clientOf(row) ?? start?.client ?? null);
  const [kind, setKind] = useState<OverrideSubject>(kindOf(client));
  const [ruleId, setRuleId] = useState(row?.rule ?? start?.rule ?? null);
  const rule = rules.find(({ id }) => id === ruleId) ?? null;
  const form = useRuleFormState(
    rule === null ? {} : amountInput(rule, row?.limit ?? startOf(rule, client?.plan)),
  );
  const [expiry, setExpiry] = useState<Expiry>(
    row === undefined
      ? { kind: "hours", hours: isFree ? DEFAULT_HOURS : RAISE_HOURS }
      : { kind: "kept", at: row.expiresAt },
  );
  const [owner, setOwner] = useState(row?.owner ?? props.owner);
  const [reason, setReason] = useState(row?.reason ?? "");
  const [isAsked, setAsked] = useState(false);
  const [failure, setFailure] = useState<ActionFailure>();
  const [pending, startTransition] = useTransition();

  const amount = form.rule === null ? null : (amountsOf(form.rule.limit).default ?? null);
  const endsMs = expiryMs(expiry, Date.now());
  const own = {
    client: client === null ? "whose limit it is must be chosen" : undefined,
    rule: rule === null ? "the rule must be chosen" : undefined,
    owner: owner.trim() === "" ? "who asks for it must be written" : undefined,
    reason:
      reason.trim() === "" ? "a reason must be written: it is all that is left later" : undefined,
    expiresAt: endsMs === null ? "a moment must be given" : undefined,
  };
  type Name = keyof typeof own;
  const errorAt = (name: Name) =>
    (isAsked ? own[name] : undefined) ??
    failure?.errors?.find(({ path }) => path === name || path === `body.${name}`)?.message;
  const isAtField =
    failure?.errors?.some(({ path }) => path.replace(/^body\./, "") in own) ?? false;

  function restart(next: RuleChoice | null, who: ChosenClient | null) {
    // What was typed for the same rule stays.
    if (next === null || (next.id === ruleId && form.isDirty)) return;
    form.reset(amountInput(next, startOf(next, who?.plan)));
  }

  function submit() {
    if (pending) return;
    setAsked(true);
    form.showAll();
    setFailure(undefined);
    const isWhole = Object.values(own).every((error) => error === undefined);
    if (!isWhole || client === null || rule === null || amount === null || endsMs === null) return;
    const id = row?.id ?? newOverrideId(client.client, rule.id);
    const expiresAt = new Date(endsMs).toISOString();
    const body = { client: client.client, rule: rule.id, limit: amount, owner, reason, expiresAt };
    startTransition(async () => {
      const result = await callAction(actions.put, { id, body });
      if (result.ok) onClose();
      else setFailure(result);
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !pending && onClose()}
      title={row === undefined ? "New override" : "Change the override"}
      description={
        row === undefined ? (
          "A limit for one client and rule that beats its plan’s, on every gateway within a second, until it expires."
        ) : (
          <>
            <UserText code>{row.client}</UserText> of rule <UserText>{row.ruleName}</UserText>
          </>
        )
      }
      footer={
        <DialogFormActions
          formId={formId}
          pending={pending}
          pendingLabel="Saving…"
          onCancel={onClose}
        >
          {row === undefined ? "Give the override" : "Save"}
        </DialogFormActions>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {row === undefined && (
          <>
            <ClientPicker
              kind={kind}
              client={client}
              ipv6PrefixLength={ipv6PrefixLength}
              find={actions.find}
              error={errorAt("client")}
              onKindChange={setKind}
              onClientChange={(next) => {
                setClient(next);
                restart(rule, next);
              }}
            />
            <Field
              label="Rule"
              error={errorAt("rule")}
              hint={
                rule &&
                `Counts ${countByWords(rule.countBy)}: ${subjectsWords(overrideSubjects(rule.countBy))}.`
              }
            >
              <Combobox
                placeholder="A rule’s name or id"
                options={ruleOptions(rules, kind)}
                value={ruleId}
                onValueChange={(id) => {
                  setRuleId(id);
                  restart(rules.find((each) => each.id === id) ?? null, client);
                }}
              />
            </Field>
          </>
        )}
        {rule !== null && <OverrideAmount key={rule.id} form={form} rule={rule} />}
        {rule !== null && client !== null && amount !== null && (
          <OverridePreview client={client} rule={rule} amount={amount} />
        )}
        <ExpiryField
          expiry={expiry}
          known={row?.expiresAt ?? null}
          hoursMax={isFree ? null : RAISE_HOURS}
          error={errorAt("expiresAt")}
          onChange={setExpiry}
        />
        <Field
          label="Owner"
          error={errorAt("owner")}
          hint="Who is asked when it is about to expire."
        >
          <Input value={owner} maxLength={120} onValueChange={setOwner} />
        </Field>
        <Field label="Reason" error={errorAt("reason")}>
          <Input
            value={reason}
            maxLength={500}
            placeholder="Launch week, ticket 4711"
            onValueChange={setReason}
          />
        </Field>
        <FormError>{!isAtField && failure?.message}</FormError>
      </form>
    </Dialog>
  );
}

function clientOf(row: OverrideRow | undefined): ChosenClient | null {
  return row === undefined ? null : { client: row.client, ...row.clientFacts };
}

function kindOf(client: ChosenClient | null): OverrideSubject {
  if (client?.client.startsWith("ip:")) return "ip";
  return client?.client.startsWith("customer:") ? "customer" : "key";
}

function ruleOptions(rules: readonly RuleChoice[], kind: OverrideSubject) {
  return rules.map(({ id, name, countBy, limit }) => {
    const subjects = overrideSubjects(countBy);
    const isShedder = limit.kind === "fleet" || limit.kind === "worker";
    return {
      value: id,
      label: name === id ? name : `${name} (${id})`,
      hint: isShedder
        ? "sheds by priority: no limit of anybody’s"
        : `${countByWords(countBy)}: ${subjectsWords(subjects)}`,
      disabled: isShedder || !subjects.includes(kind),
    };
  });
}
