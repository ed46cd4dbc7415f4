import { AppError } from "@/lib/core/errors";

/** What is wrong with a request as HTTP, before it means anything: its status is not the code's own. */
export class HttpError extends AppError {
  readonly status: 400 | 405 | 412 | 413 | 415;
  readonly headers: Record<string, string>;

  constructor(status: HttpError["status"], message: string, headers: Record<string, string> = {}) {
    super("invalid", message);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}
