import { lookup } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "./public-address";

const TIMEOUT_MS = 10_000;
/** Of an answer as much as people read. */
const ANSWER_BYTES = 500;

type Posted = {
  url: string;
  headers: Record<string, string>;
  body: string;
  isPrivateAllowed: boolean;
  timeoutMs?: number;
};

/** What came of one attempt. `status` null: there was no answer, `answer` says why. */
export type PostResult = {
  status: number | null;
  answer: string;
  /** As the receiver wrote it. */
  retryAfter: string | null;
};

/** One POST: no redirect is followed, and the address that is connected to is the one that was judged. */
export async function postWebhook({
  url,
  headers,
  body,
  isPrivateAllowed,
  timeoutMs = TIMEOUT_MS,
}: Posted): Promise<PostResult> {
  const target = new URL(url);
  const signal = AbortSignal.timeout(timeoutMs);
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const none = (answer: string): PostResult => ({ status: null, answer, retryAfter: null });
  if (!isPrivateAllowed && isIP(host) !== 0 && !isPublicAddress(host)) return none(refusal(host));
  try {
    return await post({ target, headers, body, signal, isPrivateAllowed });
  } catch (error) {
    if (signal.aborted) return none(`no answer within ${timeoutMs / 1000} s`);
    return none(error instanceof Error ? error.message : String(error));
  }
}

type Prepared = {
  target: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  isPrivateAllowed: boolean;
};

function post({ target, headers, body, signal, isPrivateAllowed }: Prepared): Promise<PostResult> {
  return new Promise((resolve, reject) => {
    const send = target.protocol === "https:" ? requestHttps : requestHttp;
    const sent = send(target, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      agent: false,
      signal,
      lookup: judgedLookup(isPrivateAllowed),
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const status = response.statusCode ?? 0;
      const retryAfter = response.headers["retry-after"] ?? null;
      let answer = Buffer.alloc(0);
      const done = () => {
        resolve({ status, answer: readable(answer), retryAfter });
        // What more it sends is of no interest, and may have no end.
        sent.destroy();
      };
      response.on("data", (chunk: Buffer) => {
        answer = Buffer.concat([answer, chunk]).subarray(0, ANSWER_BYTES);
        if (answer.length === ANSWER_BYTES) done();
      });
      response.on("end", done);
      response.on("error", reject);
    });
    sent.end(body);
  });
}

/** All of a name's addresses must be public, so that none is reached by answering differently the next time. */
function judgedLookup(isPrivateAllowed: boolean): LookupFunction {
  return (hostname, { all: isAll, family, hints }, callback) => {
    const wanted = family === 4 || family === 6 ? { family } : {};
    lookup(hostname, { all: true, ...wanted, ...(hints === undefined ? {} : { hints }) }).then(
      (found) => {
        const inner = found.find(({ address }) => !isPublicAddress(address));
        const [first] = found;
        if (inner !== undefined && !isPrivateAllowed) {
          callback(new Error(refusal(`${hostname} is ${inner.address}, which`)), []);
        } else if (isAll === true) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

function refusal(what: string): string {
  return `${what} is not of the public internet: set HEADGATE_WEBHOOK_ALLOW_PRIVATE=true to allow private addresses`;
}

/** For a table cell: Postgres takes no NUL, and people no control characters. */
function readable(bytes: Buffer): string {
  const text = bytes.toString("utf8").replace(/\p{Cc}+/gu, " ");
  return text.trim();
}
