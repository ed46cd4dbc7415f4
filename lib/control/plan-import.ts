import type { KeyImportResult, KeyImportRow } from "@/lib/core/api/key-import";

/** What the database knows of the keys and customers that a list names. Changes with every line that is planned. */
export type KnownKeys = {
  plans: readonly string[];
  customers: Map<string, string>;
  /** By hash. */
  secrets: Map<string, { id: string; isEnded: boolean }>;
  keys: Map<string, { customer: string; name: string; isRevoked: boolean }>;
};

export type PlannedLine = {
  line: number;
  row: KeyImportRow;
  /** Of a line with a key or hash. */
  hash: { hash: string; keyId: string; prefix: string } | null;
};

export type ImportPlan = {
  results: KeyImportResult[];
  newCustomers: Map<string, string>;
  movedCustomers: Map<string, string>;
  newKeys: {
    id: string;
    customer: string;
    name: string;
    hash: string;
    keyId: string;
    prefix: string;
  }[];
  renamedKeys: Map<string, string>;
};

type Options = { movePlans: boolean; newId(): string };

/** Decides line by line, each after those before it: so a list may name a customer or a key twice. */
export function planImport(
  known: KnownKeys,
  lines: readonly PlannedLine[],
  options: Options,
): ImportPlan {
  const plan: ImportPlan = {
    results: [],
    newCustomers: new Map(),
    movedCustomers: new Map(),
    newKeys: [],
    renamedKeys: new Map(),
  };
  for (const line of lines) {
    const outcome = planLine(known, plan, line, options);
    plan.results.push({ line: line.line, ...outcome });
  }
  return plan;
}

type Outcome = Omit<KeyImportResult, "line">;

function planLine(
  known: KnownKeys,
  plan: ImportPlan,
  line: PlannedLine,
  options: Options,
): Outcome {
  const { row, hash } = line;
  if (row.plan !== undefined && !known.plans.includes(row.plan))
    return refused(`plan must be one of ${known.plans.join(", ")}, got ${row.plan}`);
  const secret = hash === null ? undefined : known.secrets.get(hash.hash);
  if (secret?.isEnded)
    return refused(`this key was revoked or rotated out as ${secret.id}: it is not revived`);
  const id = secret?.id ?? row.id;
  if (secret !== undefined && row.id !== undefined && row.id !== secret.id)
    return refused(`this key is known as ${secret.id}, got id ${row.id}`);
  const held = id === undefined ? undefined : known.keys.get(id);
  if (held?.isRevoked) return refused(`key ${id} was revoked: it is not revived`);
  if (id !== undefined && held !== undefined && (hash === null || secret !== undefined))
    return changeKey(known, plan, { ...row, id }, held, options);
  if (hash === null) return refused(`there is no key ${row.id}: to make it, give its key or hash`);
  if (held !== undefined)
    return refused(`id ${id} is another key's: leave it out, or rotate that key`);
  return addKey(known, plan, { row, hash, id: id ?? options.newId() }, options);
}

function changeKey(
  known: KnownKeys,
  plan: ImportPlan,
  row: KeyImportRow & { id: string },
  held: { customer: string; name: string; isRevoked: boolean },
  options: Options,
): Outcome {
  const { id } = row;
  if (row.customer !== undefined && row.customer !== held.customer)
    return refused(`this key belongs to customer ${held.customer}, got ${row.customer}`);
  const moved = moveCustomer(known, plan, { customer: held.customer, plan: row.plan }, options);
  if (typeof moved === "string") return refused(moved);
  const isRenamed = row.name !== undefined && row.name !== held.name;
  if (isRenamed && row.name !== undefined) {
    held.name = row.name;
    const fresh = plan.newKeys.find((key) => key.id === id);
    if (fresh !== undefined) fresh.name = row.name;
    else plan.renamedKeys.set(id, row.name);
  }
  return { outcome: moved || isRenamed ? "changed" : "same", id };
}

function addKey(
  known: KnownKeys,
  plan: ImportPlan,
  { row, hash, id }: { row: KeyImportRow; hash: NonNullable<PlannedLine["hash"]>; id: string },
  options: Options,
): Outcome {
  const customer = row.customer ?? id;
  const name = row.name ?? customer;
  if (!known.customers.has(customer)) {
    if (row.plan === undefined)
      return refused(`plan is missing: customer ${customer} is not known yet`);
    known.customers.set(customer, row.plan);
    plan.newCustomers.set(customer, row.plan);
  }
  const moved = moveCustomer(known, plan, { customer, plan: row.plan }, options);
  if (typeof moved === "string") return refused(moved);
  known.secrets.set(hash.hash, { id, isEnded: false });
  known.keys.set(id, { customer, name, isRevoked: false });
  plan.newKeys.push({ id, customer, name, ...hash });
  return { outcome: "made", id };
}

/** Whether it was moved; a text says why it may not be. */
function moveCustomer(
  known: KnownKeys,
  plan: ImportPlan,
  { customer, plan: wanted }: { customer: string; plan: string | undefined },
  { movePlans }: Options,
): boolean | string {
  const held = known.customers.get(customer);
  if (wanted === undefined || held === wanted) return false;
  if (!movePlans)
    return `customer ${customer} is on plan ${held}, got ${wanted}: give that plan, or let the import move customers`;
  known.customers.set(customer, wanted);
  if (plan.newCustomers.has(customer)) plan.newCustomers.set(customer, wanted);
  else plan.movedCustomers.set(customer, wanted);
  return true;
}

function refused(message: string): Outcome {
  return { outcome: "refused", message };
}
