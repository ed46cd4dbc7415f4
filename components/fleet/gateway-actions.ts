import type { Action } from "@/components/ui/action-result";

/** The server action that takes a gateway off the fleet. */
export type DismissGateway = Action<{ id: string; reason?: string }, unknown>;
