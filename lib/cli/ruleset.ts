import { readFile, writeFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { loadCliConfig } from "../config/config";
import {
  type DraftContent,
  DraftContentResultSchema,
  DraftContentSchema,
} from "../core/api/draft-content";
import { PublishedSchema } from "../core/api/publish";
import { VersionDetailSchema, VersionListSchema } from "../core/api/versions";
import { AppError } from "../core/errors";
import { contentOf } from "../core/ruleset-objects";
import { type RulesetSections, readRuleset, sectionsOf, writeRuleset } from "../core/ruleset-yaml";
import { type ApiClient, createApiClient } from "./api-client";
import { numberOption, textOption } from "./arguments";
import { type Command, EXIT, type Io, print, UsageError } from "./command";

const VERSION_MAX = 2_147_483_647;

export const pullCommand: Command = {
  name: "pull",
  usage: "pull [FILE] [--version N] [--draft]",
  summary: "Write the ruleset as YAML: settings, lists, routes, plans and rules.",
  help: `  FILE         where to write it; standard output when not given
  --version N  that version; the live one when not given
  --draft      as this token's draft has it`,
  options: { version: { type: "string" }, draft: { type: "boolean" } },
  async run({ values, positionals, io }) {
    const file = oneFile(positionals);
    const number = numberOption(values, "version", { min: 1, max: VERSION_MAX, isWhole: true });
    if (number !== undefined && values.draft === true)
      throw new UsageError("takes --version or --draft, got both");
    const call = clientOf(io);
    const { sections, words } =
      values.draft === true ? ofDraft(await draftOf(call)) : await ofVersion(call, number);
    const text = `# ${words}\n${writeRuleset(sections)}`;
    if (file === undefined) io.stdout.write(text);
    else {
      await writeFile(file, text);
      print(io.stderr, `${words}: written to ${file}`);
    }
    return EXIT.done;
  },
};

export const pushCommand: Command = {
  name: "push",
  usage:
    "push FILE [--prune] [--publish --message TEXT [--acknowledge-gaps] [--acknowledge-radius]]",
  summary: "Save a YAML ruleset in this token's draft, and publish it if asked to.",
  help: `  FILE                as pull writes it; - is standard input. Sections that it leaves out stay
  --prune             remove rules and plans that it does not name; without it they stay, and are told
  --publish           publish the draft as one version
  --message TEXT      what the version is for; needed with --publish
  --acknowledge-gaps  publish although evidence is missing; audited
  --acknowledge-radius
                      publish although more are hit than the setting confirmAbove says; audited

Exit code 1 when it is refused: bad input, a stale draft, missing evidence, a radius that is not confirmed.`,
  options: {
    prune: { type: "boolean" },
    publish: { type: "boolean" },
    message: { type: "string", short: "m" },
    "acknowledge-gaps": { type: "boolean" },
    "acknowledge-radius": { type: "boolean" },
  },
  async run({ values, positionals, io }) {
    const file = oneFile(positionals);
    if (file === undefined) throw new UsageError("FILE is missing: a ruleset as pull writes it");
    const message = textOption(values, "message");
    if (values.publish === true && message === undefined)
      throw new UsageError("--message is missing: what the version is for");
    const call = clientOf(io);
    const content = readRuleset(await textOf(file, io));
    const result = await call({
      method: "PUT",
      path: "/draft/content",
      body: { content, ...(values.prune === true && { prune: true }) },
      answer: DraftContentResultSchema,
    });
    for (const { sentence } of result.objects) print(io.stdout, sentence);
    for (const { level, id, message: words } of result.lint)
      print(io.stderr, `${level}: ${id}: ${words}`);
    if (result.unnamed.length > 0)
      print(
        io.stderr,
        `${result.unnamed.length} not named and left as they are (--prune removes them): ${result.unnamed.map(({ kind, id }) => `${kind} ${id}`).join(", ")}`,
      );
    if (result.objects.length === 0) {
      print(io.stderr, `nothing differs from version ${result.baseVersion}`);
      return EXIT.done;
    }
    if (values.publish !== true || message === undefined) {
      print(io.stderr, `${result.summary.sentence}: saved in the draft, not published`);
      return EXIT.done;
    }
    const made = await call({
      method: "POST",
      path: "/publish",
      body: {
        message,
        baseVersion: result.baseVersion,
        ...(values["acknowledge-gaps"] === true && { acknowledgeGaps: true }),
        ...(values["acknowledge-radius"] === true && { acknowledgeRadius: true }),
      },
      answer: PublishedSchema,
    });
    print(io.stderr, `published as version ${made.version}`);
    return EXIT.done;
  },
};

export const diffCommand: Command = {
  name: "diff",
  usage: "diff FILE [--prune]",
  summary: "Say what pushing a YAML ruleset would change, without saving anything.",
  help: `  FILE     as pull writes it; - is standard input
  --prune  as push --prune would

Compared with this token's draft, which without changes is the live version. Exit code 0 when nothing differs, else 1.`,
  options: { prune: { type: "boolean" } },
  async run({ values, positionals, io }) {
    const file = oneFile(positionals);
    if (file === undefined) throw new UsageError("FILE is missing: a ruleset as pull writes it");
    const call = clientOf(io);
    const content = readRuleset(await textOf(file, io));
    const { objects } = await call({
      method: "POST",
      path: "/draft/content/diff",
      body: { content, ...(values.prune === true && { prune: true }) },
      answer: DraftContentResultSchema,
    });
    for (const { sentence } of objects) print(io.stdout, sentence);
    if (objects.length === 0) print(io.stderr, "nothing differs");
    return objects.length === 0 ? EXIT.done : EXIT.failed;
  },
};

function clientOf(io: Io): ApiClient {
  return createApiClient(loadCliConfig(io.env), io.signal);
}

function oneFile(positionals: readonly string[]): string | undefined {
  if (positionals.length > 1)
    throw new UsageError(`takes one file, got ${JSON.stringify(positionals[1])}`);
  return positionals[0];
}

async function textOf(file: string, io: Io): Promise<string> {
  if (file === "-") return readAll(io.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("invalid", `${file} cannot be read: ${why}`, { cause });
  }
}

type Pulled = { sections: RulesetSections; words: string };

function draftOf(call: ApiClient): Promise<DraftContent> {
  return call({ path: "/draft/content", answer: DraftContentSchema });
}

function ofDraft({ content, baseVersion }: DraftContent): Pulled {
  return { sections: content, words: `this token's draft on version ${baseVersion}` };
}

async function ofVersion(call: ApiClient, asked: number | undefined): Promise<Pulled> {
  const number =
    asked ?? (await call({ path: "/versions?limit=1", answer: VersionListSchema })).current;
  const version = await call({
    path: `/versions/${number}`,
    answer: VersionDetailSchema,
  });
  return {
    sections: sectionsOf(contentOf(version.body)),
    words: `version ${number}, ${version.createdAt}`,
  };
}
