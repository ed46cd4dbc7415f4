import { AppError } from "./errors";

/** Where a Redis is, decoded from its URL. The password never appears in a message. */
export type RedisAddress = {
  host: string;
  port: number;
  username: string | null;
  password: string | null;
  db: number;
  tls: boolean;
};

/**
 * Reads `redis://[user:password@]host[:port][/db]`, `rediss://` with TLS. The password may be percent-encoded or
 * raw (also with / # = %, as some providers hand it out). Throws `invalid` without repeating the password.
 */
export function parseRedisAddress(text: string): RedisAddress {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== "redis" && scheme !== "rediss") {
    const got = scheme === undefined ? "no scheme" : `${scheme}://`;
    throw new AppError("invalid", `a Redis URL must start with redis:// or rediss://, got ${got}`);
  }
  const rest = text.slice(scheme.length + 3);
  const at = rest.lastIndexOf("@");
  const place = rest.slice(at + 1);
  const parts =
    /^(\[[0-9A-Fa-f:.]+\]|[^:/?#\s]+)(?::([0-9]{1,5}))?(?:\/([0-9]{0,5}))?\/?(?:\?.*)?$/.exec(
      place,
    );
  const host = parts?.[1]?.replace(/^\[|\]$/g, "");
  const port = Number(parts?.[2] ?? 6379);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new AppError(
      "invalid",
      `a Redis URL must be ${scheme}://[user:password@]host[:port][/database], got ${scheme}://${at === -1 ? "" : "(credentials)@"}${place}`,
    );
  }
  const { username, password } = credentials(at === -1 ? "" : rest.slice(0, at));
  return { host, port, username, password, db: Number(parts?.[3] || 0), tls: scheme === "rediss" };
}

/** `redis://host:port/db`, for logs and errors: never the password. */
export function redisAddressWords({ host, port, db, tls }: RedisAddress): string {
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return `${tls ? "rediss" : "redis"}://${shownHost}:${port}/${db}`;
}

function credentials(text: string): { username: string | null; password: string | null } {
  if (text === "") return { username: null, password: null };
  const colon = text.indexOf(":");
  const user = colon === -1 ? text : text.slice(0, colon);
  const password = colon === -1 ? null : decoded(text.slice(colon + 1));
  return { username: user === "" ? null : decoded(user), password };
}

/** Percent-decodes; a text with a bare % is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A bare % is a raw password, not a broken one.
    return text;
  }
}
