import { loadCliConfig } from "../config/config";
import {
  type Enforcement,
  type EnforcementFigures,
  EnforcementSchema,
} from "../core/api/enforcement";
import { GuardrailSchema } from "../core/guardrail";
import { createApiClient } from "./api-client";
import { listOption, numberOption, textOption } from "./arguments";
import { type Command, EXIT, type Io, print, UsageError, type Values } from "./command";
import { percent, thousands, visible } from "./table";

export const showGuardrailCommand: Command = {
  name: "guardrail show",
  usage: "guardrail show RULE [--json]",
  summary: "How the last change that enforced a rule fares, and what watches it.",
  help: `  RULE    id of a rule
  --json  the API's answer

Exit code 1 when it is held or was undone.`,
  options: { json: { type: "boolean" } },
  async run({ values, positionals, io }) {
    const call = createApiClient(loadCliConfig(io.env), io.signal);
    const path = enforcementPath(positionals);
    const enforcement = await call({ path, answer: EnforcementSchema });
    print(
      io.stdout,
      values.json === true ? JSON.stringify(enforcement, null, 2) : told(enforcement),
    );
    const isBad = enforcement.state === "held" || enforcement.state === "undone";
    return isBad ? EXIT.failed : EXIT.done;
  },
};

export const setGuardrailCommand: Command = {
  name: "guardrail set",
  usage: "guardrail set RULE --reason TEXT [bounds]",
  summary: "Watch what was enforced of a rule by other bounds, anew from now on.",
  help: `  RULE                    id of a rule
  --reason TEXT           goes to the audit log
  --max-rejected PERCENT  of the requests that the rule matches
  --times-predicted N     the rejected share against the one that shadow foretold
  --protect PLANS         no client of these plans may be rejected; those marked protected when not given
  --for SECONDS           how long a bound stays crossed before anything is done
  --min-requests N        the two shares are not judged on fewer
  --watch SECONDS         then it has passed
  --hold                  only alert, do not undo

What is left out is as it is now.`,
  options: {
    reason: { type: "string" },
    "max-rejected": { type: "string" },
    "times-predicted": { type: "string" },
    protect: { type: "string", multiple: true },
    for: { type: "string" },
    "min-requests": { type: "string" },
    watch: { type: "string" },
    hold: { type: "boolean" },
  },
  async run({ values, positionals, io }) {
    const reason = reasonOf(values);
    const bounds = boundsOf(values);
    const path = enforcementPath(positionals);
    const call = createApiClient(loadCliConfig(io.env), io.signal);
    const { guardrail } = await call({ path, answer: EnforcementSchema });
    const wanted = { ...(guardrail ?? GuardrailSchema.parse({})), ...bounds };
    const body = { guardrail: wanted, reason };
    const set = await call({ method: "PUT", path, body, answer: EnforcementSchema });
    print(io.stdout, told(set));
    return EXIT.done;
  },
};

export const endGuardrailCommand: Command = {
  name: "guardrail end",
  usage: "guardrail end RULE --reason TEXT",
  summary: "End the watch of what was enforced of a rule: it stays enforced.",
  help: `  RULE           id of a rule
  --reason TEXT  goes to the audit log`,
  options: { reason: { type: "string" } },
  async run({ values, positionals, io }: { values: Values; positionals: string[]; io: Io }) {
    const body = { reason: reasonOf(values) };
    const call = createApiClient(loadCliConfig(io.env), io.signal);
    const path = `${enforcementPath(positionals)}/end`;
    const ended = await call({ method: "POST", path, body, answer: EnforcementSchema });
    print(io.stdout, told(ended));
    return EXIT.done;
  },
};

function enforcementPath(positionals: readonly string[]): string {
  const [rule] = positionals;
  if (rule === undefined || positionals.length > 1) throw new UsageError("takes the id of a rule");
  return `/rules/${encodeURIComponent(rule)}/enforcement`;
}

function reasonOf(values: Values): string {
  const reason = textOption(values, "reason");
  if (reason === undefined) throw new UsageError("--reason is missing: why, in a line");
  return reason;
}

function boundsOf(values: Values) {
  const whole = (name: string, max: number) =>
    numberOption(values, name, { min: 1, max, isWhole: true });
  const share = numberOption(values, "max-rejected", { min: 0, max: 100 });
  const times = numberOption(values, "times-predicted", { min: 1, max: 1000 });
  const plans = listOption(values, "protect");
  const forSeconds = whole("for", 3600);
  const minRequests = whole("min-requests", 1_000_000_000);
  const watchSeconds = whole("watch", 86_400);
  return {
    ...(share !== undefined && { maxRejectedShare: share / 100 }),
    ...(times !== undefined && { timesPredicted: times }),
    ...(plans.length > 0 && { protectedPlans: plans }),
    ...(forSeconds !== undefined && { forSeconds }),
    ...(minRequests !== undefined && { minRequests }),
    ...(watchSeconds !== undefined && { watchSeconds }),
    ...(values.hold === true && { action: "hold" as const }),
  };
}

function told(enforcement: Enforcement): string {
  const { rule, version, since, by, change, state, heldFor, outcome } = enforcement;
  const { judgement, predicted, actual, guardrail } = enforcement;
  const why = judgement?.why ?? [];
  const missing = (judgement?.missing ?? []).filter((each) => !why.includes(each));
  const lines = [
    `${rule}: ${change}, by ${by.name} with version ${version} at ${since}`,
    `  state      ${state}${heldFor === null ? "" : ` (${heldFor})`}${outcome === null ? "" : `: ${outcome}`}`,
    ...(judgement === null || outcome !== null
      ? []
      : [`  last look  ${judgement.verdict}${why.length === 0 ? "" : `: ${why.join("; ")}`}`]),
    ...missing.map((each) => `  missing    ${each}`),
    `  predicted  ${predicted === null ? "nothing was counted in shadow" : figures(predicted)}`,
    `  actual     ${figures(actual)}`,
    `  guardrail  ${guardrail === null ? "none was wanted" : JSON.stringify(guardrail)}`,
  ];
  return lines.map(visible).join("\n");
}

function figures({ requests, rejections, byPlan }: EnforcementFigures): string {
  const plans = byPlan
    .filter((row) => row.rejections > 0)
    .map((row) => `${thousands(row.rejections)} of ${row.plan}`);
  const words = `${percent(rejections, requests)} rejected (${thousands(rejections)} of ${thousands(requests)})`;
  return plans.length === 0 ? words : `${words}: ${plans.join(", ")}`;
}
