/** A CORS preflight: OPTIONS with Origin and Access-Control-Request-Method. A plain OPTIONS is none. */
export function isPreflight(request: {
  method: string;
  header(name: string): string | undefined;
}): boolean {
  return (
    request.method === "OPTIONS" &&
    request.header("origin") !== undefined &&
    request.header("access-control-request-method") !== undefined
  );
}
