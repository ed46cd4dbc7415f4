import { type CsvError, parse } from "csv-parse/sync";
import type { KnownSender } from "../core/backtest-senders";
import { AppError } from "../core/errors";
import { DELIMITERS } from "../core/key-csv";
import { readText } from "./read-text";

const CLIENT_NAMES = ["client", "key", "prefix", "ip", "address"];
const ERRORS_SHOWN = 5;

type Row = { record: string[]; info: { lines: number } };

/** A list of clients and their plans (and customers), by its head or in this order. Throws `invalid`, naming lines. */
export async function readPlans(file: string, plans: ReadonlySet<string>): Promise<KnownSender[]> {
  const rows = rowsOf(file, await readText(file));
  const columns = columnsOf(rows[0]?.record ?? []);
  const problems: string[] = [];
  const senders: KnownSender[] = [];
  for (const { record, info } of columns.hasHead ? rows.slice(1) : rows) {
    const [client = "", plan = "", customer = ""] = columns.at.map((at) => record[at] ?? "");
    if (client.length < 3)
      problems.push(
        `line ${info.lines}: a client must be an address, a network or at least 3 characters of a key, got ${JSON.stringify(client)}`,
      );
    else if (!plans.has(plan))
      problems.push(
        `line ${info.lines}: plan must be one of ${[...plans].join(", ")}, got ${JSON.stringify(plan)}`,
      );
    else senders.push({ client, plan, customer: customer === "" ? null : customer });
  }
  if (problems.length === 0 && senders.length === 0) problems.push("it names no client");
  if (problems.length === 0) return senders;
  const more = problems.length - ERRORS_SHOWN;
  const shown = problems.slice(0, ERRORS_SHOWN).join("; ");
  throw new AppError("invalid", `${file}: ${shown}${more > 0 ? `; and ${more} more` : ""}`);
}

function rowsOf(file: string, text: string): Row[] {
  const [head = ""] = text.split(/\r\n|\n|\r/, 1);
  const delimiter = DELIMITERS.find((one) => head.includes(one)) ?? ",";
  try {
    return parse(text, {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Row[];
  } catch (error) {
    if (!isCsvError(error)) throw error;
    throw new AppError("invalid", `${file} is no CSV: ${error.message}`, { cause: error });
  }
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && "code" in error && String(error.code).startsWith("CSV_");
}

/** Without a head: client, plan, customer. */
function columnsOf(head: readonly string[]): { hasHead: boolean; at: readonly number[] } {
  const names = head.map((name) => name.toLowerCase());
  const client = names.findIndex((name) => CLIENT_NAMES.includes(name));
  const plan = names.indexOf("plan");
  if (client === -1 || plan === -1) return { hasHead: false, at: [0, 1, 2] };
  return { hasHead: true, at: [client, plan, names.indexOf("customer")] };
}
