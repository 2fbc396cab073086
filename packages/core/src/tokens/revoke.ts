import type { ActionContext } from "../actions/context.js"
import { createSealer } from "../crypto/seal.js"
import { AuthError, toError } from "../errors/auth-error.js"
import type { LogContext } from "../log/audit-event.js"
import { createProviderEndpoints } from "../oauth/endpoints.js"
import { ProviderError, toSafeError } from "../oauth/errors.js"
import { revokeToken } from "../oauth/revoke.js"
import { systemClock, withDeadline } from "../runtime/promise.js"
import type { AdapterAccount } from "../types/adapter.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { createAccountVault } from "./account-vault.js"
import type { KeptTokens } from "./keeper.js"

/** When tokens are revoked. `sign-out` includes `unlink`. */
export type RevocationMoment = "unlink" | "sign-out" | "never"

const callMs = 10_000
const endpoints = createProviderEndpoints({ clock: systemClock })

/** Takes the tokens of an account out of the store, so that no other process uses or refreshes them. */
export async function takeTokens(account: AdapterAccount, context: ActionContext): Promise<KeptTokens | null> {
  const { store, secrets } = context
  if (!store) return null
  const sealer = createSealer(secrets)
  return createAccountVault({ store, sealer, isSealing: true, key: account }, account).clear()
}

/**
 * Revokes tokens that were taken out of the store. Never throws: the log has the cause of a failure.
 * @returns whether the provider has revoked them
 */
export async function revokeTokens(
  { refresh_token, access_token }: KeptTokens,
  { provider: id }: Pick<AdapterAccount, "provider">,
  { context, request }: { readonly context: ActionContext; readonly request: LogContext },
): Promise<boolean> {
  const provider = context.providers.get(id)
  const token = refresh_token ?? access_token
  if (token === undefined || (provider?.type !== "oauth" && provider?.type !== "oidc")) return false
  const kind = refresh_token === undefined ? "access_token" : "refresh_token"
  // as: resolved by the same type.
  const call = revokeToken({ token, kind }, provider as ResolvedOAuthProvider, endpoints)
  const late = () => new ProviderError("The revocation endpoint did not answer in time", { code: "timed-out" })
  try {
    return await withDeadline(call, callMs, late)
  } catch (thrown) {
    const err = toSafeError(toError(thrown))
    context.log.error(new AuthError("The user's tokens could not be revoked", { err, provider: id }), request)
    return false
  }
}

/** Forgets and revokes the tokens of a user who has signed out. Never throws, and the sign-out does not wait for it. */
export async function revokeAtSignOut(userId: string, request: LogContext, context: ActionContext): Promise<void> {
  try {
    const accounts = (await context.store?.listAccountsByUserId(userId)) ?? []
    for (const account of accounts) {
      const tokens = await takeTokens(account, context)
      if (tokens) await revokeTokens(tokens, account, { context, request })
    }
  } catch {
    // The store has logged its error.
  }
}
