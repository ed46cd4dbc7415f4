import type { Metadata } from "next";
import { askFor } from "@/app/_server/page-input";
import { getPageCtx, requireSession } from "@/app/_server/session";
import { InvitationList } from "@/components/people/invitation-list";
import { InviteDialog } from "@/components/people/invite-dialog";
import { PeopleTable } from "@/components/people/people-table";
import { Banner } from "@/components/ui/banner";
import { formatPlural } from "@/components/ui/format";
import { PageHeader } from "@/components/ui/page-header";
import { listPeople } from "@/lib/control";
import {
  endSessionsAction,
  inviteAction,
  passwordLinkAction,
  removePersonAction,
  sessionsAction,
  updatePersonAction,
  withdrawAction,
} from "./actions";

export const metadata: Metadata = { title: "People" };

const actions = {
  invite: inviteAction,
  withdraw: withdrawAction,
  update: updatePersonAction,
  remove: removePersonAction,
  passwordLink: passwordLinkAction,
  sessions: sessionsAction,
  endSessions: endSessionsAction,
};

export default async function PeoplePage() {
  const { user } = await requireSession();
  const asked = await askFor(listPeople(await getPageCtx()));
  return (
    <>
      <PageHeader
        title="People"
        description="Who can sign in to this console, and what they may do."
        actions={<InviteDialog invite={inviteAction} />}
      />
      {asked.data === undefined ? (
        <Banner tone="info" title={asked.problem} />
      ) : (
        <div className="flex flex-col gap-5">
          <div className="flex flex-col gap-3">
            <PeopleTable people={asked.data.items} actions={actions} ownId={user.id} />
            <p className="text-sm text-muted">
              {formatPlural(asked.data.items.length, "person", "people")}. When nobody can sign in:{" "}
              <code className="font-mono">npm run headgate -- admin reset</code> on a machine that
              reaches the database.
            </p>
          </div>
          <InvitationList invitations={asked.data.invitations} withdraw={withdrawAction} />
        </div>
      )}
    </>
  );
}
