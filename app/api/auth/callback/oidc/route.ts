import { getControl } from "@/app/_server/context";
import { finishSso } from "@/lib/control";
import { AppError } from "@/lib/core/errors";

/** The one address of better-auth that browsers reach: where the issuer of single sign-on sends them back to. */
export async function GET(request: Request): Promise<Response> {
  const control = getControl();
  try {
    const { search } = new URL(request.url);
    return await finishSso(control, { headers: request.headers, search });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    control.log.warn({ error }, "single sign-on failed");
    const { origin } = new URL(control.config.publicUrl ?? request.url);
    return Response.redirect(`${origin}/sign-in?error=failed`, 302);
  }
}
