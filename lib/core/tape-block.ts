import { createByteReader, createByteWriter } from "./byte-columns";
import { AppError } from "./errors";

/** One request on the tape. The path is there only as its route, so that no secret of a path is kept. */
export type TapeRequest = {
  /** Unix time in µs, whole; may go backwards from one request to the next. */
  atUs: number;
  client: string;
  plan: string;
  /** Without the `customer:` prefix; null without a key. */
  customer: string | null;
  /** The sender's address, canonical. */
  ip: string;
  method: string;
  route: string;
  refused: boolean;
  /** A CORS preflight, which settings may exempt; its headers are not kept. */
  preflight: boolean;
};

const FORMAT = 1;
/** A gateway closes a block long before; beyond this its bytes are not what a gateway wrote. */
export const TAPE_REQUESTS_MAX = 20_000;
const REFUSED = 1;
const PREFLIGHT = 2;

/**
 * Requests by columns: each distinct text once, times as zigzag differences, all numbers as LEB128 varints. Not yet
 * compressed. Throws `invalid` above TAPE_REQUESTS_MAX.
 */
export function encodeTapeBlock(requests: readonly TapeRequest[]): Uint8Array {
  if (requests.length > TAPE_REQUESTS_MAX)
    throw new AppError(
      "invalid",
      `a tape block has at most ${TAPE_REQUESTS_MAX} requests, got ${requests.length}`,
    );
  const texts = new Map<string, number>();
  const indexOf = (text: string) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    texts.set(text, texts.size);
    return texts.size - 1;
  };
  const steps: number[] = [];
  const columns: number[][] = [[], [], [], [], [], []];
  let lastUs = 0;
  for (const { atUs, client, plan, customer, ip, method, route } of requests) {
    const step = atUs - lastUs;
    lastUs = atUs;
    steps.push(step < 0 ? -2 * step - 1 : 2 * step);
    columns[0]?.push(indexOf(client));
    columns[1]?.push(indexOf(plan));
    columns[2]?.push(customer === null ? 0 : indexOf(customer) + 1);
    columns[3]?.push(indexOf(ip));
    columns[4]?.push(indexOf(method));
    columns[5]?.push(indexOf(route));
  }
  const out = createByteWriter();
  out.varint(FORMAT);
  out.varint(requests.length);
  out.varint(texts.size);
  for (const text of texts.keys()) out.text(text);
  for (const column of [steps, ...columns]) for (const value of column) out.varint(value);
  for (const { refused, preflight } of requests)
    out.varint((refused ? REFUSED : 0) + (preflight ? PREFLIGHT : 0));
  return out.bytes();
}

/** What encodeTapeBlock wrote. Throws `invalid` for any other bytes. */
export function decodeTapeBlock(bytes: Uint8Array): TapeRequest[] {
  const reader = createByteReader(bytes, wrong);
  const format = reader.varint();
  if (format !== FORMAT) throw wrong(`its format must be ${FORMAT}, got ${format}`);
  const count = reader.varint();
  if (count > TAPE_REQUESTS_MAX)
    throw wrong(`it must have at most ${TAPE_REQUESTS_MAX} requests, got ${count}`);
  const size = reader.varint();
  if (size > bytes.length) throw wrong(`it cannot hold ${size} texts in ${bytes.length} bytes`);
  const texts = Array.from({ length: size }, () => reader.text());
  const textAt = (index: number) => {
    const text = texts[index];
    if (text === undefined) throw wrong(`text ${index} must be one of ${size}`);
    return text;
  };
  const column = () => Array.from({ length: count }, () => reader.varint());
  const steps = column();
  const [clients, plans, customers, ips, methods, routes, flags] = [
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
  ];
  if (!reader.isAtEnd()) throw wrong("bytes follow its last column");
  let atUs = 0;
  return steps.map((step, i) => {
    atUs += step % 2 === 0 ? step / 2 : -(step + 1) / 2;
    const customer = customers[i] ?? 0;
    return {
      atUs,
      client: textAt(clients[i] ?? 0),
      plan: textAt(plans[i] ?? 0),
      customer: customer === 0 ? null : textAt(customer - 1),
      ip: textAt(ips[i] ?? 0),
      method: textAt(methods[i] ?? 0),
      route: textAt(routes[i] ?? 0),
      refused: ((flags[i] ?? 0) & REFUSED) !== 0,
      preflight: ((flags[i] ?? 0) & PREFLIGHT) !== 0,
    };
  });
}

function wrong(why: string): AppError {
  return new AppError("invalid", `the tape block cannot be read: ${why}`);
}
