import type { Metadata } from "next";
import { ImportKeys } from "@/components/keys/import-keys";
import { PageHeader } from "@/components/ui/page-header";
import { importKeysAction } from "../actions";

export const metadata: Metadata = { title: "Import keys" };

export default function ImportKeysPage() {
  return (
    <>
      <PageHeader
        title="Import keys"
        description="Keys that clients have already, from a list: each line is made, found as it is, or refused with its reason."
        breadcrumbs={[{ href: "/keys", label: "Keys" }]}
      />
      <ImportKeys send={importKeysAction} />
    </>
  );
}
