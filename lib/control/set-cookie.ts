/** A cookie for the answer, in the shape that Next's `cookies().set(...)` takes. */
export type SetCookie = {
  name: string;
  /** Decoded; whoever writes the header encodes it. */
  value: string;
  path: string;
  httpOnly: boolean;
  secure: boolean;
  sameSite: "lax" | "strict" | "none";
  /** Seconds; 0 removes the cookie. */
  maxAge?: number;
};

export function parseSetCookies(headers: Headers): SetCookie[] {
  return headers.getSetCookie().map(parseSetCookie);
}

function parseSetCookie(line: string): SetCookie {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  const equals = pair.indexOf("=");
  const found = new Map(
    attributes.map((attribute): [string, string] => {
      const at = attribute.indexOf("=");
      const name = at === -1 ? attribute : attribute.slice(0, at);
      return [name.toLowerCase(), at === -1 ? "" : attribute.slice(at + 1)];
    }),
  );
  const sameSite = found.get("samesite")?.toLowerCase();
  const maxAge = found.get("max-age");
  return {
    name: pair.slice(0, equals),
    value: decodeURIComponent(pair.slice(equals + 1)),
    path: found.get("path") ?? "/",
    httpOnly: found.has("httponly"),
    secure: found.has("secure"),
    sameSite: sameSite === "strict" || sameSite === "none" ? sameSite : "lax",
    ...(maxAge === undefined ? {} : { maxAge: Number(maxAge) }),
  };
}
