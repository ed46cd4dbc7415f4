import { CircleCheck, Info, OctagonAlert, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";

export type BannerTone = "info" | "warning" | "danger" | "success";

type BannerProps = {
  tone: BannerTone;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  /** `page` spans the whole width under the header, `inline` sits in the content. */
  look?: "page" | "inline";
};

const looks = {
  info: { Icon: Info, style: "border-accent/35 bg-accent-subtle", icon: "text-accent" },
  warning: {
    Icon: TriangleAlert,
    style: "border-warning-border bg-warning-subtle",
    icon: "text-warning",
  },
  danger: {
    Icon: OctagonAlert,
    style: "border-danger-border bg-danger-subtle",
    icon: "text-danger",
  },
  success: {
    Icon: CircleCheck,
    style: "border-success-border bg-success-subtle",
    icon: "text-success",
  },
} as const;

export function Banner({ tone, title, children, actions, look = "inline" }: BannerProps) {
  const { Icon, style, icon } = looks[tone];
  return (
    <div
      role={tone === "danger" ? "alert" : "status"}
      className={cn(
        "flex flex-wrap items-start gap-x-3 gap-y-2 text-text",
        look === "page" ? "border-b px-4 py-2 sm:px-6" : "rounded-lg border px-3 py-2.5",
        style,
      )}
    >
      <div className="flex min-w-0 flex-1 items-start gap-2">
        <Icon aria-hidden className={cn("mt-0.75 size-4 shrink-0", icon)} />
        <div className="min-w-0">
          <p className="font-medium">{title}</p>
          {children && <div className="text-sm">{children}</div>}
        </div>
      </div>
      {actions && (
        <div className="flex flex-wrap items-center gap-2 max-sm:w-full max-sm:ps-6">{actions}</div>
      )}
    </div>
  );
}
