import { AccessTokenUnavailable } from "../errors/errors.js"
import type { Store } from "../host/store.js"
import type { HostConfig } from "../open-service.js"
import type { AdapterAccount } from "../types/adapter.js"
import { getUserId, openTokens, type ResponseOptions, toWriter } from "./access-token.js"
import { findTokens, isWanted, type WantedAccount } from "./place.js"
import { revokeTokens } from "./revoke.js"

/** Which account {@link unlinkAccount} removes. */
export interface UnlinkOptions extends ResponseOptions {
  /** Id of the provider. */
  readonly provider: string
  /** The user's id at the provider, for users with several accounts there. Default: the first one. */
  readonly providerAccountId?: string
}

/**
 * Removes an account of the signed-in user, and revokes its tokens at the provider. Make sure that the user has another way
 * to sign in.
 * @param request Has the session cookie. Its URL must have the scheme of the app's public address.
 * @returns whether the provider has revoked the tokens; the account is removed in any case
 * @throws AccessTokenUnavailable if nobody is signed in (`signed-out`), the user has no such account (`no-account`), or its
 *   tokens are in a cookie that cannot be cleared, without `headers` (`cannot-write`)
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function unlinkAccount(
  request: Request,
  config: HostConfig,
  { headers, ...options }: UnlinkOptions,
): Promise<{ readonly isRevoked: boolean }> {
  const { feature, context, visit } = openTokens(request, config, toWriter(headers))
  const { store } = context
  const wanted = { ...options, userId: await getUserId(visit, context) }
  const found = await findTokens(feature.openPlace(context), wanted, visit)
  const obstacle = (await found?.findObstacle?.()) ?? null
  if (obstacle === "cannot-write") throw new AccessTokenUnavailable("Pass the headers of the response", obstacle)
  const tokens = (await found?.vault.read()) ?? null
  // The account of the tokens may be another user's by now, and the tokens of the user's own in another browser only.
  const account = found && obstacle === null ? found.key : await findAccount(wanted, store)
  // Without the row, no other process uses or refreshes them.
  if (account) await store?.unlinkAccount({ provider: account.provider, providerAccountId: account.providerAccountId })
  await found?.vault.clear()
  if (!account) throw new AccessTokenUnavailable("The user has no account of the provider", "no-account")
  const isRevoking = tokens !== null && obstacle === null && feature.revoke !== "never"
  return { isRevoked: isRevoking && (await revokeTokens(tokens, account, { context, request: visit })) }
}

async function findAccount(wanted: WantedAccount, store: Store | null): Promise<AdapterAccount | undefined> {
  if (!store?.has("listAccountsByUserId")) return undefined
  return (await store.listAccountsByUserId(wanted.userId)).find((account) => isWanted(account, wanted))
}
