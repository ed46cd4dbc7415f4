import { refuseUnknownPath } from "@/app/_server/route";

export {
  refuseUnknownPath as DELETE,
  refuseUnknownPath as GET,
  refuseUnknownPath as PATCH,
  refuseUnknownPath as POST,
  refuseUnknownPath as PUT,
};
