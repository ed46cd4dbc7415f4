import type { Action } from "@/components/ui/action-result";
import type { TokenCreated, TokenRow } from "@/lib/core/api/tokens";

export type TokenActions = {
  create: Action<
    { name: string; scopes: TokenRow["scopes"]; expiresInDays: number | null },
    TokenCreated
  >;
  revoke: Action<{ id: string }, TokenRow>;
};
