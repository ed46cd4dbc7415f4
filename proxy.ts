import { type NextRequest, NextResponse } from "next/server";
import { originProblem } from "@/app/_server/origin";
import { PATH_HEADER } from "@/app/_server/path-header";
import { publicUrl } from "@/app/_server/public-url";

/**
 * Server actions and forms, before Next: it knows only the Host and X-Forwarded-Host that a proxy passes, and says
 * nothing when they do not fit. Here HEADGATE_PUBLIC_URL decides, and a refusal tells both values.
 */
export function proxy(request: NextRequest): NextResponse {
  if (request.method !== "POST") return withPath(request);
  const problem = originProblem(request.headers, publicUrl());
  if (problem !== null)
    return new NextResponse(problem, {
      status: 403,
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  const headers = new Headers(request.headers);
  const origin = request.headers.get("origin");
  if (origin !== null) headers.set("x-forwarded-host", new URL(origin).host);
  return NextResponse.next({ request: { headers } });
}

/** A page does not know its own address, which the sign-in needs to come back to it. */
function withPath(request: NextRequest): NextResponse {
  const headers = new Headers(request.headers);
  headers.set(PATH_HEADER, `${request.nextUrl.pathname}${request.nextUrl.search}`);
  return NextResponse.next({ request: { headers } });
}

export const config = {
  matcher: [
    { source: "/((?!api/|_next/|live$|sign-in).*)" },
    { source: "/((?!api/).*)", has: [{ type: "header", key: "next-action" }] },
    {
      source: "/((?!api/).*)",
      has: [
        {
          type: "header",
          key: "content-type",
          value: "(multipart/form-data|application/x-www-form-urlencoded).*",
        },
      ],
    },
  ],
};
