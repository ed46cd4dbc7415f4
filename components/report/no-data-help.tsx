import { TextLink } from "@/components/ui/link";
import { UserText } from "@/components/ui/user-text";
import type { Report } from "@/lib/core/api/report";
import { listOfRule } from "@/lib/core/own-rules";
import type { Mode } from "@/lib/core/rule";

type NoDataHelpProps = {
  report: Report;
  /** The rule's present mode; null when it is not live. */
  mode: Mode | null;
  /** Of the live rule, such as `60 per 1m per API key on POST /v1/links/**`. */
  sentence: string | null;
  /** Addresses of this page with other figures. */
  otherModeHref: string;
  /** Of the figures that nothing narrows; null when these are they. */
  wholeHref: string | null;
};

/** Which condition is missing, and what brings it. */
export function NoDataHelp(props: NoDataHelpProps) {
  const { report, mode, sentence, otherModeHref, wholeHref } = props;
  const { gateways, seconds } = report.coverage;
  const wanted = report.mode === "shadow" ? "in shadow" : "enforced";
  if (gateways === 0)
    return (
      <p>
        Start a gateway, or find out why none is heard:{" "}
        <TextLink href="/gateways">gateways</TextLink>.
      </p>
    );
  if (wholeHref !== null && seconds > 0)
    return (
      <p>
        The figures are narrowed. <TextLink href={wholeHref}>Clear the filters</TextLink>, or choose
        another time.
      </p>
    );
  if (listOfRule(report.rule) !== null)
    return (
      <p>
        {seconds === 0
          ? "The list had no entry in this time."
          : "The list had entries, and no request was one of theirs."}
      </p>
    );
  if (mode === null)
    return <p>The rule is not in the live version. Its figures are those of times when it was.</p>;
  if (seconds === 0 && mode === "off")
    return (
      <p>The rule is off: nothing is counted. Set it to shadow, and figures come within seconds.</p>
    );
  if (seconds === 0)
    return (
      <p>
        In this time the rule was not {wanted}.{" "}
        <TextLink href={otherModeHref}>
          Show what was counted {report.mode === "shadow" ? "while enforced" : "in shadow"}
        </TextLink>
        ,{" "}
        {wholeHref !== null && (
          <>
            <TextLink href={wholeHref}>clear the filters</TextLink>{" "}
          </>
        )}
        or choose another time.
      </p>
    );
  return (
    <p>
      It matches <UserText>{sentence ?? "nothing live"}</UserText>. Send such a request through a
      gateway, or look at its match in the editor.
    </p>
  );
}
