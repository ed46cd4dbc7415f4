export type RedisNode = {
  /** Its place in the ring is by this name, not by address: `REDIS_URLS=a=redis://…,b=redis://…`. */
  name: string;
  host: string;
  port: number;
  username?: string;
  password?: string;
  database: number;
  tls: boolean;
};

const FORM =
  /^([a-z][a-z0-9+.-]*):\/\/(?:(.*)@)?(\[[0-9a-f:.]+\]|[^\s:/?#@]+)(?::([0-9]{1,5}))?(?:\/([^/?#]*))?\/?(?:\?(.*))?$/is;

export const REDIS_ALLOWED =
  "redis://[[user]:password@]host[:port][/database], or rediss:// for TLS";

/**
 * Our own reading, as `new URL` refuses or misreads passwords with `/`, `#`, `@`. Everything before the last
 * `@` is user and password; percent escapes are decoded, a percent sign that starts none stays as it is.
 * Returns a sentence about what is wrong, which never holds the password.
 */
export function parseRedisUrl(text: string, name = "redis"): RedisNode | { wrong: string } {
  const parts = FORM.exec(text.trim());
  if (parts === null) return { wrong: `is not of the form ${REDIS_ALLOWED}` };
  const [, scheme = "", userinfo, host = "", port, database = "", query] = parts;
  if (!["redis", "rediss"].includes(scheme.toLowerCase())) {
    return { wrong: `has the scheme ${scheme}, which is not supported; allowed: redis, rediss` };
  }
  if (query !== undefined && query !== "") {
    return { wrong: `has parameters after ?, which are not supported; write an escaped ? as %3F` };
  }
  if (!/^[0-9]*$/.test(database) || Number(database) > 1023) {
    return { wrong: "has a database that is not a number 0..1023" };
  }
  const portNumber = Number(port ?? 6379);
  if (portNumber < 1 || portNumber > 65_535) return { wrong: "has a port that is not 1..65535" };
  return {
    name,
    host: host.replace(/^\[|\]$/g, ""),
    port: portNumber,
    ...credentials(userinfo),
    database: Number(database),
    tls: scheme.toLowerCase() === "rediss",
  };
}

/** Where it is, for messages and logs: never with the password. */
export function describeRedisNode({ host, port, database, tls }: RedisNode): string {
  const at = host.includes(":") ? `[${host}]` : host;
  return `${tls ? "rediss" : "redis"}://${at}:${port}/${database}`;
}

/** Splits a list of URLs at commas that start a new entry, so that a password may hold a comma. */
export function splitUrls(text: string): string[] {
  return text
    .split(/,(?=\s*(?:[\w.-]+=)?[a-z][a-z0-9+.-]*:\/\/)/i)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function credentials(userinfo: string | undefined): { username?: string; password?: string } {
  if (userinfo === undefined) return {};
  const colon = userinfo.indexOf(":");
  const username = decode(colon === -1 ? userinfo : userinfo.slice(0, colon));
  const password = colon === -1 ? "" : decode(userinfo.slice(colon + 1));
  return { ...(username === "" ? {} : { username }), ...(password === "" ? {} : { password }) };
}

function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
