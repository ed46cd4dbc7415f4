import { z } from "zod";
import { ROLES } from "../access";
import { flag, oneOf, shown, textLine, wholeNumber } from "../parse";
import { InstantSchema, listOf } from "./common";

const email = z
  .string({ error: (issue) => `email must be text, got ${shown(issue.input)}` })
  .trim()
  .toLowerCase()
  .max(200, { error: "email must be at most 200 characters" })
  .pipe(z.email({ error: (issue) => `email must be an email address, got ${shown(issue.input)}` }));

const password = z
  .string({ error: "password must be text" })
  .min(8, { error: "password must be 8..128 characters" })
  .max(128, { error: "password must be 8..128 characters" });

const RoleSchema = oneOf("role", ROLES);

export const INVITATION_HOURS_MAX = 720;

/** POST /people/invitations. */
export const InviteRequestSchema = z.strictObject({
  email,
  role: RoleSchema,
  expiresInHours: wholeNumber("expiresInHours", 1, INVITATION_HOURS_MAX).default(72),
});

/** PATCH /people/{id}: a disabled person cannot sign in, by whatever way. */
export const PersonPatchSchema = z.strictObject({
  role: RoleSchema.optional(),
  disabled: flag("disabled").optional(),
});

/** What the holder of a link sends. */
export const AcceptRequestSchema = z.strictObject({
  token: z.string().min(1, { error: "the link is not complete" }).max(200),
  name: textLine("name", 120).optional(),
  password,
});

export const PasswordChangeSchema = z.strictObject({
  current: z.string().min(1, { error: "enter your present password" }).max(200),
  password,
});

export const SessionRowSchema = z.object({
  id: z.string(),
  /** Of the one who asks. */
  current: z.boolean(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: InstantSchema,
  lastSeenAt: InstantSchema,
  expiresAt: InstantSchema,
});

export const PersonRowSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  disabled: z.boolean(),
  /** How they can sign in. */
  ways: z.array(z.enum(["password", "single sign-on"])),
  /** Open sessions. */
  sessions: z.int(),
  lastSeenAt: InstantSchema.nullable(),
  createdAt: InstantSchema,
});

export const InvitationRowSchema = z.object({
  id: z.string(),
  kind: z.enum(["invite", "reset"]),
  email: z.string(),
  role: z.enum(ROLES),
  createdBy: z.string(),
  createdAt: InstantSchema,
  expiresAt: InstantSchema,
});

export const PeopleListSchema = listOf(PersonRowSchema).extend({
  /** Open links: not used, not withdrawn, not expired. */
  invitations: z.array(InvitationRowSchema),
});
export const SessionListSchema = listOf(SessionRowSchema);

/** The link is in this answer only. */
export const InvitationCreatedSchema = InvitationRowSchema.extend({ link: z.string() });

export const EndedSessionsSchema = z.object({ ended: z.int() });

export type PersonRow = z.output<typeof PersonRowSchema>;
export type InvitationRow = z.output<typeof InvitationRowSchema>;
export type InvitationCreated = z.output<typeof InvitationCreatedSchema>;
export type PeopleList = z.output<typeof PeopleListSchema>;
export type SessionRow = z.output<typeof SessionRowSchema>;
export type SessionList = z.output<typeof SessionListSchema>;
