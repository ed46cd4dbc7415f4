"use client";

import type { ReactNode } from "react";
import { Banner, type BannerTone } from "@/components/ui/banner";
import { UserText } from "@/components/ui/user-text";
import { compareAmounts, LOUD_FACTOR } from "@/lib/core/amount-compare";
import { type Amount, amountFor } from "@/lib/core/limit";
import { planLimit } from "@/lib/core/limit-sentence";
import { limitWords } from "@/lib/core/limit-words";
import type { ChosenClient, RuleChoice } from "./override-actions";
import { changeLook } from "./override-words";

type OverridePreviewProps = { client: ChosenClient; rule: RuleChoice; amount: Amount };

/** What it would do, before it does: from what to what, and loud when that is far. */
export function OverridePreview(props: OverridePreviewProps) {
  const { tone, title, text } = previewOf(props);
  return (
    <Banner tone={tone} title={title}>
      {text}
      {props.rule.mode !== "enforce" && (
        <p>
          The rule is {props.rule.mode === "off" ? "off" : "in shadow"}: it refuses nobody, with or
          without an override.
        </p>
      )}
    </Banner>
  );
}

function previewOf({ client, rule, amount }: OverridePreviewProps): {
  tone: BannerTone;
  title: string;
  text: ReactNode;
} {
  const gives = limitWords(rule.limit, amount);
  const isAddress = client.client.startsWith("ip:");
  if (isAddress && (rule.countBy.includes("apiKey") || rule.countBy.includes("customer")))
    return {
      tone: "warning",
      title: `Every key from there gets ${gives}`,
      text: (
        <p>Whatever its plan gives; a key or customer with an override of its own keeps that.</p>
      ),
    };
  const { words, from } = planLimit(rule, client.plan);
  const plan = <UserText>{client.plan}</UserText>;
  if (from === "not matched")
    return {
      tone: "warning",
      title: "This would change nothing",
      text: <p>The rule does not match plan {plan}.</p>,
    };
  const change = compareAmounts(amountFor(rule.limit, client.plan), amount);
  const look = changeLook(change);
  const before = from === "none" ? "sets no limit" : `gives ${words}`;
  if (look === null)
    return {
      tone: "info",
      title: `${gives}: what plan ${client.plan} gives already`,
      text: null,
    };
  const isLowered = change.direction !== "looser";
  const sentence = (
    <p>
      Plan {plan} {before}, the override gives {gives}.
    </p>
  );
  const { factor } = change;
  const isFar = Number.isFinite(factor) && factor >= LOUD_FACTOR;
  const title = capital(look.text);
  if (isLowered)
    return {
      tone: isFar || change.direction === "stricter" ? "danger" : "warning",
      title: `${title}${change.direction === "stricter" ? ". It may refuse what passes now" : ""}`,
      text: sentence,
    };
  return {
    tone: look.isLoud ? "warning" : "success",
    title: isFar ? `${title}. Is that what you mean?` : title,
    text: sentence,
  };
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
