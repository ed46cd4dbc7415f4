"use client";

import {
  Ban,
  CircleCheck,
  Ellipsis,
  KeyRound,
  MonitorSmartphone,
  Trash2,
  UserCog,
} from "lucide-react";
import { useState } from "react";
import { PermittedMenuItem } from "@/components/shell/permissions";
import { callAction } from "@/components/ui/action-result";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Menu, MenuSeparator } from "@/components/ui/menu";
import { Status } from "@/components/ui/status";
import { RowHead, Table, TableBody, TableHead, Td, Th, Tr } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { InvitationCreated, PersonRow, SessionRow } from "@/lib/core/api/people";
import type { PeopleActions } from "./people-actions";
import { DisableDialog, PasswordLinkDialog, RemoveDialog } from "./person-dialogs";
import { RoleDialog } from "./role-dialog";
import { SessionsDialog } from "./sessions-dialog";

type PeopleTableProps = {
  people: readonly PersonRow[];
  actions: PeopleActions;
  /** Of the one who looks. */
  ownId: string;
};

type Kind = "role" | "sessions" | "link" | "disable" | "remove";
type Open = { kind: Kind; person: PersonRow };
type Sessions = { items?: readonly SessionRow[]; error?: string };

export function PeopleTable({ people, actions, ownId }: PeopleTableProps) {
  const [open, setOpen] = useState<Open>();
  const [sessions, setSessions] = useState<Sessions>({});
  const [made, setMade] = useState<InvitationCreated>();
  const close = () => setOpen(undefined);

  async function load({ id }: PersonRow) {
    const result = await callAction(actions.sessions, { id });
    setSessions(result.ok ? { items: result.data.items } : { items: [], error: result.message });
  }

  function start(kind: Kind, person: PersonRow) {
    setMade(undefined);
    setSessions({});
    setOpen({ kind, person });
    if (kind === "sessions") void load(person);
  }

  return (
    <>
      <Table label="People" stack>
        <TableHead>
          <Tr>
            <Th>Name</Th>
            <Th>Role</Th>
            <Th>Signs in by</Th>
            <Th>Sessions</Th>
            <Th>Joined</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Tr>
        </TableHead>
        <TableBody>
          {people.map((person) => (
            <PersonLine
              key={person.id}
              person={person}
              isOwn={person.id === ownId}
              onOpen={(kind) => start(kind, person)}
            />
          ))}
        </TableBody>
      </Table>
      {open?.kind === "role" && (
        <RoleDialog person={open.person} update={actions.update} onClose={close} />
      )}
      {open?.kind === "sessions" && (
        <SessionsDialog
          person={open.person}
          actions={actions}
          sessions={sessions.items}
          error={sessions.error}
          onEnded={() => load(open.person)}
          onClose={close}
        />
      )}
      {open?.kind === "link" && (
        <PasswordLinkDialog
          person={open.person}
          actions={actions}
          made={made}
          onMade={setMade}
          onClose={close}
        />
      )}
      {open?.kind === "disable" && (
        <DisableDialog person={open.person} actions={actions} onClose={close} />
      )}
      {open?.kind === "remove" && (
        <RemoveDialog person={open.person} actions={actions} onClose={close} />
      )}
    </>
  );
}

type LineProps = { person: PersonRow; isOwn: boolean; onOpen: (kind: Kind) => void };

function PersonLine({ person, isOwn, onOpen }: LineProps) {
  return (
    <Tr>
      <RowHead>
        <span className="flex items-center gap-2">
          <UserText truncate className="max-w-56">
            {person.name}
          </UserText>
          {isOwn && <Badge>you</Badge>}
        </span>
        <UserText truncate className="block max-w-64 text-sm font-normal text-muted">
          {person.email}
        </UserText>
      </RowHead>
      <Td label="Role">
        {person.disabled ? (
          <Status tone="danger">disabled</Status>
        ) : (
          <Badge tone={person.role === "admin" ? "accent" : "neutral"}>{person.role}</Badge>
        )}
      </Td>
      <Td label="Signs in by">
        {person.ways.length === 0 ? (
          <span className="text-muted">no way yet</span>
        ) : (
          person.ways.join(", ")
        )}
      </Td>
      <Td label="Sessions">
        {person.sessions === 0 || person.lastSeenAt === null ? (
          <span className="text-muted">none</span>
        ) : (
          <span>
            {person.sessions}, last <Time at={person.lastSeenAt} show="age" />
          </span>
        )}
      </Td>
      <Td label="Joined">
        <Time at={person.createdAt} format="date" />
      </Td>
      <Td>
        <span className="flex justify-end">
          <PersonMenu person={person} onOpen={onOpen} />
        </span>
      </Td>
    </Tr>
  );
}

function PersonMenu({ person, onOpen }: Pick<LineProps, "person" | "onOpen">) {
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon-sm" aria-label={`Actions for ${person.name}`}>
          <Ellipsis aria-hidden />
        </Button>
      }
    >
      <PermittedMenuItem needs="people" onSelect={() => onOpen("role")}>
        <UserCog aria-hidden /> Change role…
      </PermittedMenuItem>
      <PermittedMenuItem needs="people" onSelect={() => onOpen("sessions")}>
        <MonitorSmartphone aria-hidden /> Sessions…
      </PermittedMenuItem>
      <PermittedMenuItem needs="people" onSelect={() => onOpen("link")}>
        <KeyRound aria-hidden /> Password link…
      </PermittedMenuItem>
      <MenuSeparator />
      <PermittedMenuItem needs="people" onSelect={() => onOpen("disable")}>
        {person.disabled ? <CircleCheck aria-hidden /> : <Ban aria-hidden />}
        {person.disabled ? "Enable…" : "Disable…"}
      </PermittedMenuItem>
      <PermittedMenuItem needs="people" tone="danger" onSelect={() => onOpen("remove")}>
        <Trash2 aria-hidden /> Remove…
      </PermittedMenuItem>
    </Menu>
  );
}
