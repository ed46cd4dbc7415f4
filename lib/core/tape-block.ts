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
};

const FORMAT = 1;
/** A block is one second of one gateway's sample; beyond this its bytes are not what a gateway wrote. */
export const TAPE_REQUESTS_MAX = 200_000;

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
  const columns: number[][] = [[], [], [], [], [], [], [], []];
  const indexOf = (text: string) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    texts.set(text, texts.size);
    return texts.size - 1;
  };
  let lastUs = 0;
  for (const { atUs, client, plan, customer, ip, method, route, refused } of requests) {
    const step = atUs - lastUs;
    lastUs = atUs;
    const row = [
      step < 0 ? -2 * step - 1 : 2 * step,
      indexOf(client),
      indexOf(plan),
      customer === null ? 0 : indexOf(customer) + 1,
      indexOf(ip),
      indexOf(method),
      indexOf(route),
      refused ? 1 : 0,
    ];
    for (let i = 0; i < row.length; i += 1) columns[i]?.push(row[i] ?? 0);
  }
  const bytes: number[] = [FORMAT];
  putVarint(bytes, requests.length);
  putVarint(bytes, texts.size);
  const encoder = new TextEncoder();
  for (const text of texts.keys()) {
    const encoded = encoder.encode(text);
    putVarint(bytes, encoded.length);
    for (const byte of encoded) bytes.push(byte);
  }
  for (const column of columns) for (const value of column) putVarint(bytes, value);
  return Uint8Array.from(bytes);
}

/** What encodeTapeBlock wrote. Throws `invalid` for any other bytes. */
export function decodeTapeBlock(bytes: Uint8Array): TapeRequest[] {
  const reader = createReader(bytes);
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
  const [clients, plans, customers, ips, methods, routes, refusals] = [
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
      refused: refusals[i] === 1,
    };
  });
}

/** Division, not shifts: µs since 1970 need 51 bits, doubled by the zigzag 52. */
function putVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

function createReader(bytes: Uint8Array) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let at = 0;
  function varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw wrong(`it ends within a number at byte ${at}`);
      at += 1;
      value += (byte % 128) * scale;
      if (!Number.isSafeInteger(value)) throw wrong(`a number before byte ${at} is too large`);
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  return {
    varint,
    text: () => {
      const length = varint();
      if (at + length > bytes.length) throw wrong(`it ends within a text at byte ${at}`);
      const part = bytes.subarray(at, at + length);
      at += length;
      try {
        return decoder.decode(part);
      } catch (error) {
        throw wrong(`a text before byte ${at} is not UTF-8: ${String(error)}`);
      }
    },
    isAtEnd: () => at === bytes.length,
  };
}

function wrong(why: string): AppError {
  return new AppError("invalid", `the tape block cannot be read: ${why}`);
}
