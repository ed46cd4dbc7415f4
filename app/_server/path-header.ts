/** Set by proxy.ts, whatever a client sent: path and query of the page that is asked for. */
export const PATH_HEADER = "x-headgate-path";
