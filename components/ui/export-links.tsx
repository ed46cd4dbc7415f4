import { Download } from "lucide-react";
import { buttonStyle } from "./button-style";
import { hrefWith } from "./cursor-pages";

const FORMATS = { csv: "CSV", json: "JSON" } as const;

type ExportLinksProps = {
  /** Of the API, such as `/api/v1/audit/export`. */
  path: string;
  /** What the page shows, without `format`. */
  query: Record<string, string | undefined>;
  /** What a file holds, for its button's name. */
  of: string;
};

/** What a page shows as files: all of it, by the same filters. */
export function ExportLinks({ path, query, of }: ExportLinksProps) {
  return (
    <>
      {(["csv", "json"] as const).map((format) => (
        <a
          key={format}
          href={hrefWith(path, { ...query, format })}
          download
          aria-label={`${of} as ${FORMATS[format]}`}
          className={buttonStyle({ variant: "secondary", size: "md" })}
        >
          <Download aria-hidden /> {FORMATS[format]}
        </a>
      ))}
    </>
  );
}
