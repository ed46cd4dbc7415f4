"use client";

import { CodeBlock } from "@/components/ui/code-block";
import { Dialog, DialogClose } from "@/components/ui/dialog";
import { KeyValue } from "@/components/ui/key-value";
import { Time } from "@/components/ui/time";
import { UserText } from "@/components/ui/user-text";
import type { GatewayRow } from "@/lib/core/api/gateways";
import { statusCommand } from "./gateway-words";

type GatewayDialogProps = { gateway: GatewayRow; onClose: () => void };

/** The rest of what a gateway said, and how to ask it oneself. */
export function GatewayDialog({ gateway, onClose }: GatewayDialogProps) {
  const { id, hash, clockOffsetMs, features } = gateway;
  const { code, isGuess } = statusCommand(id);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={<UserText code>{id}</UserText>}
      description="As it said in its last heartbeat."
      footer={<DialogClose />}
    >
      <div className="flex flex-col gap-4">
        <section aria-label="Ask it yourself">
          <CodeBlock code={code} label={`command that asks ${id}`} />
          <p className="mt-1 text-sm text-muted">
            {isGuess
              ? "Put in where it runs: its admin port is its own port + 1000."
              : "Read from its id, <host>-<port>: its admin port is that port + 1000. It also serves /ready and /metrics."}
          </p>
        </section>
        <KeyValue
          items={[
            { label: "Last heard", value: <Time at={gateway.lastSeenAt} format="datetime" /> },
            { label: "Started", value: <Time at={gateway.startedAt} format="datetime" /> },
            { label: "First heard", value: <Time at={gateway.firstSeenAt} format="datetime" /> },
            {
              label: "Snapshot's hash",
              value: <code className="break-all font-mono text-sm">{hash ?? "none"}</code>,
            },
            {
              label: "Clock",
              value:
                clockOffsetMs === null
                  ? "not compared with Redis yet"
                  : `${Math.round(clockOffsetMs)} ms against Redis`,
            },
            { label: "Build", value: <UserText code>{gateway.build}</UserText> },
            {
              label: "Understands",
              value: features.length === 0 ? "nothing beyond the base" : features.join(", "),
            },
          ]}
        />
      </div>
    </Dialog>
  );
}
