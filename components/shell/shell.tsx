import { Banner } from "@/components/ui/banner";
import { TextLink } from "@/components/ui/link";
import { shownText } from "@/components/ui/user-text";
import type { Banner as OverviewBanner } from "@/lib/core/api/overview";
import { Nav } from "./nav";
import type { ShellProps } from "./shell-data";
import { TopBar } from "./top-bar";

/** The frame of every console page: top bar, navigation, banners, content. */
export function Shell({ children, banners, ...data }: ShellProps) {
  return (
    <div className="min-h-dvh [--topbar-height:3rem]">
      <a
        href="#content"
        className="fixed start-2 top-2 z-50 -translate-y-16 rounded-md bg-accent-solid px-3 py-1.5 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <TopBar {...data} />
      <div className="lg:grid lg:grid-cols-[13.5rem_minmax(0,1fr)]">
        <aside className="sticky top-(--topbar-height) h-[calc(100dvh-var(--topbar-height))] overflow-y-auto border-e bg-surface p-3 max-lg:hidden">
          <Nav counts={data} />
        </aside>
        <div className="min-w-0">
          {banners.map((banner) => (
            <PageBanner key={banner.text} banner={banner} />
          ))}
          <main
            id="content"
            tabIndex={-1}
            className="mx-auto max-w-400 px-4 py-5 outline-none sm:px-6"
          >
            {children}
          </main>
        </div>
      </div>
    </div>
  );
}

const tones = { info: "info", warning: "warning", critical: "danger" } as const;

function PageBanner({ banner }: { banner: OverviewBanner }) {
  return (
    <Banner
      look="page"
      tone={tones[banner.severity]}
      title={shownText(banner.text)}
      actions={<TextLink href={banner.href}>Show details</TextLink>}
    />
  );
}
