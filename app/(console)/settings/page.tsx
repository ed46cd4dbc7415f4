import type { Metadata } from "next";
import { getDraftedSettings } from "@/app/_server/drafted-settings";
import { getPageCtx } from "@/app/_server/session";
import { revertItemAction } from "@/app/(console)/rules/actions";
import { RoutesEditor } from "@/components/settings/routes-editor";
import { SettingsEditor } from "@/components/settings/settings-editor";
import { TextLink } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { saveRoutesAction, saveSettingsAction } from "./actions";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const { settings, routes, plans, version } = await getDraftedSettings(await getPageCtx());
  return (
    <>
      <PageHeader
        title="Settings"
        description={
          <>
            What holds for the whole ruleset, on v{version}. Saved to your draft, live once you
            publish; also part of <TextLink href="/draft/text">the draft as YAML</TextLink>.
          </>
        }
      />
      <div className="flex flex-col gap-5">
        {/* Another save makes it begin anew from what is there. */}
        <SettingsEditor
          key={`settings ${settings.edit} ${settings.baseVersion}`}
          drafted={settings}
          plans={plans}
          save={saveSettingsAction}
          revert={revertItemAction}
        />
        <RoutesEditor
          key={`routes ${routes.edit} ${routes.baseVersion}`}
          drafted={routes}
          save={saveRoutesAction}
          revert={revertItemAction}
        />
      </div>
    </>
  );
}
