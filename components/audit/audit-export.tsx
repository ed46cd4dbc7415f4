import { Download } from "lucide-react";
import { buttonStyle } from "@/components/ui/button-style";

type AuditExportProps = { query: Record<string, string | undefined> };

const FORMATS = { csv: "CSV", json: "JSON" } as const;

/** All rows that the filters let through, not the page's. */
export function AuditExport({ query }: AuditExportProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {(["csv", "json"] as const).map((format) => (
        <a
          key={format}
          href={`/api/v1/audit/export?${searchOf({ ...query, format })}`}
          download
          className={buttonStyle({ variant: "secondary", size: "md" })}
        >
          <Download aria-hidden /> {FORMATS[format]}
        </a>
      ))}
    </div>
  );
}

function searchOf(query: Record<string, string | undefined>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return new URLSearchParams(pairs).toString();
}
