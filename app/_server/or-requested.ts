import { ApprovalDue } from "@/lib/control";

/** A change that waits for a second person is accepted (202), not refused. */
export async function orRequested<T>(work: Promise<T>): Promise<T | Response> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApprovalDue)) throw error;
    return Response.json(error.requested, {
      status: 202,
      headers: { "cache-control": "no-store" },
    });
  }
}
