"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";
import type { TryCandidate } from "@/components/candidate/candidate-actions-data";
import { TryInShadow } from "@/components/candidate/try-in-shadow";
import { PermittedButton, useRefusal } from "@/components/shell/permissions";
import { type Action, callAction } from "@/components/ui/action-result";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { cn } from "@/components/ui/cn";
import { FormError } from "@/components/ui/field";
import { ButtonLink } from "@/components/ui/link";
import { SkeletonText } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import type { DraftWriteResult } from "@/lib/core/api/draft";
import type { Rule } from "@/lib/core/rule";
import type { Content } from "@/lib/core/ruleset-objects";
import { BehaviourFields } from "./behaviour-fields";
import { CountByFields } from "./count-by-fields";
import { EditConflict, type EditConflictState } from "./edit-conflict";
import { LimitFields } from "./limit-fields";
import { MatchFields } from "./match-fields";
import { RuleBasics } from "./rule-basics";
import { RuleExplainer } from "./rule-explainer";
import { RuleFindings } from "./rule-findings";
import { RuleFormProvider, useRuleFormState } from "./rule-form";
import type { RuleInput } from "./rule-input";

/** The draft's save of the rule, 0 when it is not in the draft; the version that it was read from, 0 for a new one. */
type SeenRule = { edit: number; baseVersion: number };

export type SaveRule = Action<
  { id: string; body: unknown; isNew: boolean } & SeenRule,
  DraftWriteResult
>;

type RuleEditorProps = {
  isNew: boolean;
  /** The rule as it is in the draft, else as it is live, else a new one. */
  saved: RuleInput;
  seen: SeenRule;
  live: { rule: Rule; revision: number } | null;
  /** What the rule is written against; its rules are not needed. */
  content: Content;
  save: SaveRule;
  /** Of an enforced rule, which can be tried in shadow beside what is live. */
  beside?: {
    tryCandidate: TryCandidate;
    seenVersion: number;
    sharedNow: string | null;
    /** What is edited is what is tried already. */
    isOfCandidate: boolean;
  };
  cancelHref: string;
};

const RuleTextView = dynamic(
  () => import("./rule-text-view").then((module) => module.RuleTextView),
  { loading: () => <SkeletonText lines={12} /> },
);

export function RuleEditor(props: RuleEditorProps) {
  const { isNew, saved, live, content, save, beside, cancelHref } = props;
  const router = useRouter();
  const refused = useRefusal("draft");
  const form = useRuleFormState(saved);
  const [seen, setSeen] = useState({ saved, ...props.seen });
  const [view, setView] = useState("form");
  const [error, setError] = useState<string>();
  const [isRefused, setRefused] = useState(false);
  const [conflict, setConflict] = useState<EditConflictState>();
  const [pending, startTransition] = useTransition();

  // What is saved may change under an open form: by another tab, or by going back to a page seen before.
  const isNewer =
    seen.edit !== props.seen.edit || JSON.stringify(seen.saved) !== JSON.stringify(saved);
  if (isNewer && !form.isDirty && !pending) {
    setSeen({ saved, ...props.seen });
    form.reset(saved);
  }
  useLeaveGuard(form.isDirty && !pending);
  useEffect(() => {
    // Back may show this page as it was before a save elsewhere: ask what is there today.
    router.refresh();
    const onShow = (event: PageTransitionEvent) => event.persisted && router.refresh();
    window.addEventListener("pageshow", onShow);
    return () => window.removeEventListener("pageshow", onShow);
  }, [router]);

  function submit({ edit, baseVersion }: SeenRule) {
    const { rule } = form;
    setError(undefined);
    setRefused(false);
    if (rule === null) {
      showWrong();
      return;
    }
    startTransition(async () => {
      // The whole input, not the parsed rule: keys that this page does not know are the server's to judge.
      const result = await callAction(save, {
        id: rule.id,
        body: form.input,
        edit,
        baseVersion,
        isNew,
      });
      if (result.ok) {
        setConflict(undefined);
        router.push(`/draft?saved=${encodeURIComponent(rule.id)}`);
        return;
      }
      const { details = {}, errors = [] } = result;
      const { reason, edit: theirEdit, baseVersion: theirBase, theirs = null } = details;
      if ((reason === "edit" || reason === "base") && typeof theirEdit === "number") {
        const now = typeof theirBase === "number" ? theirBase : baseVersion;
        const isPublished = reason === "base";
        const seen = { edit: theirEdit, baseVersion: now };
        setConflict({ message: result.message, isPublished, seen, theirs, mine: rule });
        return;
      }
      form.showAll(errors);
      setError(result.message);
      focusFirstError();
    });
  }

  function showWrong(): null {
    form.showAll();
    setRefused(true);
    focusFirstError();
    return null;
  }

  function reload() {
    setConflict(undefined);
    setSeen({ saved, ...props.seen });
    form.reset(saved);
    router.refresh();
  }

  const known = new Set(FORM_KEYS);
  const told = error ?? (isRefused && form.errors.length > 0 ? countWords(form.errors.length) : "");
  const elsewhere = form.errors
    .filter(({ path }) => !known.has(path.split(".")[0] ?? ""))
    .map(({ path, message }) => `${path}: ${message}`);
  return (
    <RuleFormProvider
      value={{
        ...form,
        plans: content.plans,
        routes: content.routes,
        live: live?.rule ?? null,
      }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!pending && refused === undefined) submit(seen);
        }}
        className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]"
      >
        <div className="flex min-w-0 flex-col gap-4">
          {conflict && (
            <EditConflict
              conflict={conflict}
              pending={pending}
              onKeepMine={() => submit(conflict.seen)}
              onTakeTheirs={(theirs) => {
                setConflict(undefined);
                setSeen({ saved: theirs, ...conflict.seen });
                form.reset(theirs);
                router.refresh();
              }}
              onReload={reload}
            />
          )}
          {isNewer && form.isDirty && !conflict && !pending && (
            <Banner
              tone="warning"
              title="This rule changed since you opened it"
              actions={<Button onClick={reload}>Load what is there now</Button>}
            >
              You can go on: saving will show both.
            </Banner>
          )}
          <Tabs
            aria-label="View of the rule"
            value={view}
            onValueChange={setView}
            tabs={[
              {
                value: "form",
                label: "Form",
                content: (
                  <div className="flex flex-col gap-4">
                    {[
                      <RuleBasics key="basics" isNew={isNew} />,
                      <MatchFields key="match" />,
                      <CountByFields key="count" />,
                      <LimitFields key="limit" />,
                      <BehaviourFields key="behaviour" />,
                    ].map((section) => (
                      <Card key={section.key}>{section}</Card>
                    ))}
                  </div>
                ),
              },
              {
                value: "text",
                label: "YAML",
                content: (
                  <Card>
                    <RuleTextView />
                  </Card>
                ),
              },
            ]}
          />
        </div>
        <aside
          aria-label="About the rule"
          className="contents xl:sticky xl:top-16 xl:flex xl:min-w-0 xl:flex-col xl:gap-4"
        >
          <RuleExplainer />
          {form.preview && <RuleFindings rule={form.preview} content={content} />}
          <div className="sticky bottom-0 z-10 -mx-4 -mb-5 flex flex-col gap-2 border-t bg-background px-4 py-3 sm:-mx-6 sm:px-6 xl:static xl:mx-0 xl:mb-0 xl:px-0 xl:border-0 xl:py-0">
            <FormError>{told && [told, ...elsewhere].join(" ")}</FormError>
            <div className="flex flex-wrap gap-2">
              <PermittedButton
                needs="draft"
                type="submit"
                variant="primary"
                pending={pending}
                pendingLabel="Saving…"
                className="max-sm:flex-1"
              >
                Save to draft
              </PermittedButton>
              {beside && live && (
                <TryInShadow
                  tryCandidate={beside.tryCandidate}
                  seenVersion={beside.seenVersion}
                  sharedNow={beside.sharedNow}
                  ruleId={live.rule.id}
                  rule={() => (form.rule === null ? showWrong() : form.input)}
                />
              )}
              <ButtonLink href={cancelHref}>Cancel</ButtonLink>
            </div>
            <p className={cn("text-sm text-muted", refused === undefined && "max-xl:sr-only")}>
              {refused ??
                (beside === undefined
                  ? "Nothing goes live before you review and publish your draft."
                  : beside.isOfCandidate
                    ? "This is what is tried now. Tried again, it starts to count anew; in the draft, it is the rule's next revision."
                    : "A draft goes live when you publish it. Tried in shadow, it counts beside what is live and changes no answer.")}
            </p>
          </div>
        </aside>
      </form>
    </RuleFormProvider>
  );

  function countWords(count: number): string {
    const fields = count === 1 ? "One field is" : `${count} fields are`;
    return `Not saved: ${fields} not valid, ${view === "form" ? "marked in the form" : "listed under the text"}.`;
  }
}

const FORM_KEYS = [
  ...["id", "name", "description", "match", "countBy", "limit"],
  ...["cost", "precision", "failMode", "mode", "warn", "priority"],
];

function focusFirstError() {
  // After React has painted the errors.
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(
      "form [aria-invalid=true], form [data-invalid] input",
    );
    field?.focus();
    field?.scrollIntoView({ block: "center" });
  });
}

/** Asks before the tab is closed or reloaded over what is not saved. */
function useLeaveGuard(isDirty: boolean) {
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isDirty]);
}
