"use client";

import { GuardrailSettings } from "@/components/guardrail/guardrail-settings";
import { callAction } from "@/components/ui/action-result";
import { Field, FieldGroup } from "@/components/ui/field";
import { LinesInput } from "@/components/ui/lines-input";
import { Select } from "@/components/ui/select";
import { ADDRESS_HEADERS } from "@/lib/core/identity-settings";
import { DraftCard } from "./draft-card";
import { SettingChoice, SettingHeader, SettingNumber, SettingSwitch } from "./setting-inputs";
import type { Drafted, RevertSettings, SaveSettings } from "./settings-actions";
import { SettingsFormProvider, useSettingsForm, useSettingsFormState } from "./settings-form";

type SettingsEditorProps = {
  drafted: Drafted;
  plans: readonly { id: string; name: string; protected: boolean }[];
  save: SaveSettings;
  revert: RevertSettings;
};

const UNKNOWN_KEY = [
  {
    value: "anonymous",
    label: "Count it as anonymous",
    hint: "The request is limited by its address.",
  },
  { value: "reject", label: "Answer 401", hint: "It reaches neither rules nor the upstream." },
] as const;

export function SettingsEditor({ drafted, plans, save, revert }: SettingsEditorProps) {
  const { value, edit, baseVersion, changes } = drafted;
  const form = useSettingsFormState(value);
  return (
    <SettingsFormProvider value={form}>
      <DraftCard
        kind="settings"
        title="Ruleset settings"
        description="How requests are told apart, what clients are told, and when a rule may be enforced."
        changes={changes}
        isDirty={form.isDirty}
        save={() =>
          form.isValid ? callAction(save, { body: form.input, edit, baseVersion }) : null
        }
        revert={revert}
        onReset={form.reset}
      >
        <div className="flex flex-col gap-7">
          <IdentityFields plans={plans} />
          <AnswerFields />
          <EvidenceFields />
          <RadiusFields />
          <GuardrailSettings
            protectedPlans={plans.flatMap((plan) => (plan.protected ? [plan.id] : []))}
          />
          <TapeFields />
        </div>
      </DraftCard>
    </SettingsFormProvider>
  );
}

function IdentityFields({ plans }: Pick<SettingsEditorProps, "plans">) {
  const form = useSettingsForm();
  const keyHeaders = form.at(["identity", "keyHeaders"]);
  const plan = form.at(["incompleteDirectoryPlan"]);
  return (
    <FieldGroup
      legend="Who sends a request"
      hint="A change here may tell clients apart otherwise than before: their counters may start anew."
    >
      <div className="grid gap-4 lg:grid-cols-3">
        <LinesInput
          label="Headers that hold the key"
          hint="In this order, one a line. authorization: its bearer token."
          error={form.errorAt(["identity", "keyHeaders"])}
          placeholder="none"
          lines={Array.isArray(keyHeaders) ? keyHeaders.map(String) : []}
          onChange={(lines) =>
            form.set(
              ["identity", "keyHeaders"],
              lines.map((line) => line.toLowerCase()),
            )
          }
        />
        <SettingHeader
          path={["identity", "trustedHeader"]}
          label="Header of an authenticating proxy"
          hint="key:<id>, customer:<id> or a bare customer id. Believed from trusted hops only."
        />
        <SettingChoice
          path={["identity", "addressHeader"]}
          label="Header of the client's address"
          hint="The one that your proxies add to; the other is not read."
          options={ADDRESS_HEADERS.map((value) => ({ value, label: value }))}
        />
        <SettingChoice
          path={["unknownKey"]}
          label="A key that is unknown or revoked"
          options={UNKNOWN_KEY}
        />
        <Field
          label="Plan while the directory is not complete"
          hint="Of a key presented at a gateway that has just started."
          error={form.errorAt(["incompleteDirectoryPlan"])}
        >
          <Select
            options={plans.map(({ id, name }) => ({ value: id, label: name }))}
            value={typeof plan === "string" ? plan : null}
            onValueChange={(id) => form.set(["incompleteDirectoryPlan"], id)}
          />
        </Field>
        <SettingNumber
          path={["ipv6PrefixLength"]}
          label="IPv6 addresses that are one client"
          hint="Most networks give a customer a /64."
          min={32}
          max={128}
          unit="bits"
        />
      </div>
      <SettingSwitch
        path={["caseInsensitivePaths"]}
        label="Paths that differ only in case are one path"
        hint="As your upstream has it: /V1/Messages then counts as /v1/messages."
      />
      <SettingSwitch
        path={["exemptPreflight"]}
        label="CORS preflights cost nothing"
        hint="OPTIONS with Origin and Access-Control-Request-Method. Browsers ask them by themselves."
      />
    </FieldGroup>
  );
}

function AnswerFields() {
  return (
    <FieldGroup
      legend="Headers of answers"
      hint="What clients are told about the limit that binds them."
    >
      <SettingSwitch
        path={["headers", "xRateLimit"]}
        label="X-RateLimit-Limit, -Remaining, -Reset"
      />
      <SettingSwitch
        path={["headers", "draft"]}
        label="RateLimit and RateLimit-Policy (IETF draft)"
      />
      <SettingSwitch
        path={["headers", "expose"]}
        label="Readable by scripts of other origins"
        hint="Named in Access-Control-Expose-Headers."
      />
    </FieldGroup>
  );
}

function EvidenceFields() {
  return (
    <FieldGroup
      legend="When a shadow report is evidence enough"
      hint="A rule that becomes enforced or stricter must have been watched so long. The bounds in force judge the publish that changes them."
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <SettingNumber
          path={["evidence", "minSeconds"]}
          label="Watched for at least"
          min={1}
          max={30 * 86_400}
          unit="seconds"
        />
        <SettingNumber
          path={["evidence", "minRequests"]}
          label="Matched at least"
          min={1}
          max={1_000_000_000}
          unit="requests"
        />
        <SettingNumber
          path={["evidence", "maxDroppedShare"]}
          label="Reports lost at most"
          min={0}
          max={100}
          scale={100}
          unit="%"
        />
      </div>
    </FieldGroup>
  );
}

function RadiusFields() {
  return (
    <FieldGroup
      legend="When a change needs a confirmation of its own"
      hint="Whoever enforces or tightens a rule types its name if in the last 24 h it would have hit more than either."
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <SettingNumber
          path={["confirmAbove", "clients"]}
          label="Clients hit"
          min={0}
          max={1_000_000_000}
          unit="clients"
        />
        <SettingNumber
          path={["confirmAbove", "share"]}
          label="Of the requests it matches"
          min={0}
          max={100}
          scale={100}
          unit="%"
        />
      </div>
    </FieldGroup>
  );
}

function TapeFields() {
  return (
    <FieldGroup
      legend="Tape for backtests"
      hint="Gateways record each request of a sample of the clients: time, client, plan, address, method and route, never a key, a query or a path. It is kept for 7 days."
    >
      <SettingSwitch path={["tape", "enabled"]} label="Record a tape" />
      <div className="grid gap-4 sm:grid-cols-3">
        <SettingNumber
          path={["tape", "percent"]}
          label="Clients on tape"
          hint="Whole clients, the same at every gateway."
          min={0.01}
          max={100}
          unit="%"
        />
        <SettingNumber
          path={["tape", "maxPerClientPerMinute"]}
          label="Of one client at most"
          hint="At each gateway; the rest is counted as dropped."
          min={1}
          max={1_000_000}
          unit="a minute"
        />
      </div>
    </FieldGroup>
  );
}
