import { processRevocationResponse, revocationRequest } from "oauth4webapi"
import type { ActionContext } from "../actions/context.js"
import { AuthError, toError } from "../errors/auth-error.js"
import type { LogContext } from "../log/audit-event.js"
import { getClientAuthentication, toClient } from "../oauth/client.js"
import { findRevocation } from "../oauth/endpoints.js"
import { ProviderError, toSafeError } from "../oauth/errors.js"
import { assertSecureUrl, createProviderFetch, parseEndpoint, toCallOptions } from "../oauth/fetch.js"
import { systemClock, withDeadline } from "../runtime/promise.js"
import type { AdapterAccount } from "../types/adapter.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { KeptTokens } from "./keeper.js"
import type { TokenPlace, TokenVisit } from "./place.js"

/** When tokens are revoked. `sign-out` includes `unlink`. */
export type RevocationMoment = "unlink" | "sign-out" | "never"

const callMs = 10_000

interface SignOutVisit {
  readonly context: ActionContext
  /** For the log. */
  readonly request: LogContext
}

/**
 * Revokes the tokens of an account that are no longer in the store. Never throws: the log has the cause of a failure.
 * @returns whether the provider has revoked them
 */
export async function revokeTokens(
  { refresh_token, access_token }: KeptTokens,
  { provider: id }: Pick<AdapterAccount, "provider">,
  { context, request }: SignOutVisit,
): Promise<boolean> {
  const provider = context.providers.get(id)
  const token = refresh_token ?? access_token
  if (token === undefined || (provider?.type !== "oauth" && provider?.type !== "oidc")) return false
  const kind = refresh_token === undefined ? "access_token" : "refresh_token"
  // as: resolved by the same type.
  const call = revokeToken({ token, kind }, provider as ResolvedOAuthProvider)
  const late = () => new ProviderError("The revocation endpoint did not answer in time", { code: "timed-out" })
  try {
    return await withDeadline(call, callMs, late)
  } catch (thrown) {
    const err = toSafeError(toError(thrown))
    context.log.error(new AuthError("The user's tokens could not be revoked", { err, provider: id }), request)
    return false
  }
}

interface SignOut {
  readonly visit: TokenVisit
  readonly context: ActionContext
  readonly isRevoking: boolean
}

/**
 * Removes the tokens of a user who has signed out, and revokes them. They leave their place first, so that no other process
 * uses or refreshes them. Never throws, and the sign-out does not wait for it.
 */
export async function forgetAtSignOut(
  userId: string,
  place: TokenPlace,
  { visit, context, isRevoking }: SignOut,
): Promise<void> {
  try {
    for (const { key, vault } of await place.list(userId, visit)) {
      const tokens = await vault.clear()
      if (tokens && isRevoking) await revokeTokens(tokens, key, { context, request: visit.request })
    }
  } catch {
    // The store has logged its error.
  }
}

/** A token to revoke, and what it is. */
interface RevokedToken {
  readonly token: string
  readonly kind: "refresh_token" | "access_token"
}

/**
 * Revokes a token at its provider, RFC 7009. With a refresh token, the provider revokes the access tokens of its grant too.
 * @returns false if the provider has no endpoint for it
 * @throws ProviderError, or an error of the protocol library
 */
async function revokeToken({ token, kind }: RevokedToken, provider: ResolvedOAuthProvider): Promise<boolean> {
  const address = provider.revocation ?? (await findRevocation(provider, systemClock))
  if (address === undefined) return false
  assertSecureUrl(parseEndpoint(address, "revocation"), { endpoint: "revocation", ...provider.advanced })
  const server = { issuer: provider.issuer ?? address, revocation_endpoint: address }
  const client = toClient(provider, systemClock)
  const response = await revocationRequest(server, client, getClientAuthentication(provider), token, {
    ...toCallOptions(createProviderFetch(provider, "revocation")),
    additionalParameters: { token_type_hint: kind },
  })
  await processRevocationResponse(response)
  return true
}
