import type { Metadata } from "next";
import { getPageCtx, requireSession } from "@/app/_server/session";
import { OwnSessions } from "@/components/people/own-sessions";
import { PasswordForm } from "@/components/people/password-form";
import { Badge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { PageHeader } from "@/components/ui/page-header";
import { listSessions } from "@/lib/control";
import { changePasswordAction, endOwnSessionsAction } from "./actions";

export const metadata: Metadata = { title: "Your account" };

export default async function ProfilePage() {
  const { id: currentId, user } = await requireSession();
  const { items } = await listSessions(await getPageCtx(), { id: user.id, currentId });
  return (
    <>
      <PageHeader
        title="Your account"
        description={`${user.name}, ${user.email}`}
        badges={<Badge tone={user.role === "admin" ? "accent" : "neutral"}>{user.role}</Badge>}
      />
      <div className="flex max-w-160 flex-col gap-4">
        <Card title="Password">
          <PasswordForm change={changePasswordAction} />
        </Card>
        <Card title="Where you are signed in">
          <OwnSessions sessions={items} end={endOwnSessionsAction} />
        </Card>
      </div>
    </>
  );
}
