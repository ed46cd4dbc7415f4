import {
  EndedSessionsSchema,
  InvitationCreatedSchema,
  InvitationRowSchema,
  InviteRequestSchema,
  PeopleListSchema,
  PersonPatchSchema,
  PersonRowSchema,
  SessionListSchema,
} from "@/lib/core/api/people";
import {
  TokenCreatedSchema,
  TokenCreateRequestSchema,
  TokenListSchema,
  TokenRowSchema,
} from "@/lib/core/api/tokens";
import { idParams, type PathTable } from "./operation";
import { input, output } from "./schema-names";

const lastAdmin = { description: "It is the last admin." };

/** Who signs in, and the tokens of programs. */
export const PEOPLE_ROUTES = {
  "/people": {
    GET: {
      summary: "List people, and the links that are still open",
      tag: "People",
      scope: "people",
      status: 200,
      answer: output("PeopleList", PeopleListSchema),
    },
  },
  "/people/invitations": {
    POST: {
      summary: "Make a link with which somebody joins, once",
      description: "The link is in this answer only. A newer one replaces it.",
      tag: "People",
      scope: "people",
      body: input("InviteRequest", InviteRequestSchema),
      status: 201,
      secrets: ["link"],
      answer: output("InvitationCreated", InvitationCreatedSchema.partial({ link: true })),
      conflict: { description: "The address has an account already." },
    },
  },
  "/people/invitations/{id}": {
    DELETE: {
      summary: "Withdraw a link",
      tag: "People",
      scope: "people",
      params: idParams,
      status: 200,
      answer: output("InvitationRow", InvitationRowSchema),
      isNotFoundPossible: true,
    },
  },
  "/people/{id}": {
    PATCH: {
      summary: "Change a role, disable or enable an account",
      description: "Disabled is signed out everywhere, at once.",
      tag: "People",
      scope: "people",
      params: idParams,
      body: input("PersonPatch", PersonPatchSchema),
      status: 200,
      answer: output("PersonRow", PersonRowSchema),
      isNotFoundPossible: true,
      conflict: lastAdmin,
    },
    DELETE: {
      summary: "Remove a person, with sessions and draft",
      tag: "People",
      scope: "people",
      params: idParams,
      status: 200,
      answer: output("PersonRow", PersonRowSchema),
      isNotFoundPossible: true,
      conflict: lastAdmin,
    },
  },
  "/people/{id}/password-link": {
    POST: {
      summary: "Make a link that sets a new password, once",
      description: "The link is in this answer only.",
      tag: "People",
      scope: "people",
      params: idParams,
      status: 201,
      secrets: ["link"],
      answer: output("InvitationCreated", InvitationCreatedSchema.partial({ link: true })),
      isNotFoundPossible: true,
    },
  },
  "/people/{id}/sessions": {
    GET: {
      summary: "Where a person is signed in",
      tag: "People",
      scope: "people",
      params: idParams,
      status: 200,
      answer: output("SessionList", SessionListSchema),
      isNotFoundPossible: true,
    },
    DELETE: {
      summary: "Sign a person out everywhere",
      tag: "People",
      scope: "people",
      params: idParams,
      status: 200,
      answer: output("EndedSessions", EndedSessionsSchema),
      isNotFoundPossible: true,
    },
  },
  "/tokens": {
    GET: {
      summary: "List API tokens, revoked ones too",
      tag: "People",
      scope: "tokens",
      status: 200,
      answer: output("TokenList", TokenListSchema),
    },
    POST: {
      summary: "Make an API token",
      description: "The token is in this answer only. Its scopes go no further than the caller's.",
      tag: "People",
      scope: "tokens",
      body: input("TokenCreateRequest", TokenCreateRequestSchema),
      status: 201,
      secrets: ["token"],
      answer: output("TokenCreated", TokenCreatedSchema.partial({ token: true })),
    },
  },
  "/tokens/{id}": {
    DELETE: {
      summary: "Revoke an API token",
      tag: "People",
      scope: "tokens",
      params: idParams,
      status: 200,
      answer: output("TokenRow", TokenRowSchema),
      isNotFoundPossible: true,
    },
  },
} as const satisfies PathTable;
