import { CheckCheck } from "lucide-react";
import type { Metadata } from "next";
import { askFor, type SearchParams, searchTexts } from "@/app/_server/page-input";
import { getPageCtx, requireSession } from "@/app/_server/session";
import { ApprovalSwitch } from "@/components/approval/approval-switch";
import { ChangeRequest } from "@/components/approval/change-request";
import { Banner } from "@/components/ui/banner";
import { CursorPages, cursorPlace } from "@/components/ui/cursor-pages";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { getApprovalSetting, listChangeRequests } from "@/lib/control";
import { approveAction, rejectAction, setRequiredAction, withdrawAction } from "./actions";

export const metadata: Metadata = { title: "Approvals" };

const PAGE_SIZE = 20;
const actions = {
  approve: approveAction,
  reject: rejectAction,
  withdraw: withdrawAction,
  setRequired: setRequiredAction,
};

export default async function ApprovalsPage({ searchParams }: { searchParams: SearchParams }) {
  const { pages } = await searchTexts(searchParams, ["pages"]);
  const place = cursorPlace(pages);
  const { user } = await requireSession();
  const ctx = await getPageCtx();
  const { required } = await getApprovalSetting(ctx);
  const asked = await askFor(
    listChangeRequests(ctx, {
      limit: PAGE_SIZE,
      ...(place.cursor === undefined ? {} : { cursor: place.cursor }),
    }),
  );
  return (
    <>
      <PageHeader
        title="Approvals"
        description="Changes that wait for a second person, and what became of the earlier ones."
      />
      <div className="flex flex-col gap-4">
        <ApprovalSwitch required={required} setRequired={setRequiredAction} />
        {asked.data === undefined ? (
          <Banner tone="danger" title={asked.problem} />
        ) : (
          <>
            {asked.data.items.length === 0 && (
              <div className="rounded-lg border bg-surface">
                <EmptyState icon={<CheckCheck />} title="Nothing waits, and nothing ever did">
                  {required
                    ? "The next change that enforces something or makes it stricter comes here."
                    : "While no second person is required, changes go live at once."}
                </EmptyState>
              </div>
            )}
            {asked.data.items.map((row) => (
              <ChangeRequest
                key={row.id}
                row={row}
                isOwn={row.actor.type === "user" && row.actor.id === user.id}
                actions={actions}
              />
            ))}
            <CursorPages
              place={place}
              next={asked.data.next}
              shown={asked.data.items.length}
              pageSize={PAGE_SIZE}
              noun={{ one: "request", many: "requests" }}
              path="/approvals"
              query={{}}
            />
          </>
        )}
      </div>
    </>
  );
}
