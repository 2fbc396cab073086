import { createSealer } from "../crypto/seal.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { type HostConfig, openService } from "../open-service.js"
import { findOwnAccount } from "./access-token.js"
import { createAccountVault } from "./account-vault.js"
import type { TokenKeeper } from "./keep-tokens.js"
import { revokeTokens } from "./revoke.js"

/** Which account {@link unlinkAccount} removes. */
export interface UnlinkOptions {
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
 * @throws AccessTokenUnavailable if nobody is signed in (`signed-out`), or the user has no such account (`no-account`)
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function unlinkAccount(
  request: Request,
  config: HostConfig,
  options: UnlinkOptions,
): Promise<{ readonly isRevoked: boolean }> {
  const { context, visit } = openService(request, config)
  const { store } = context
  const feature = config.tokens as TokenKeeper | undefined // as: the factory made it; the public type hides what it is.
  if (!feature || !store) throw new InvalidConfiguration("tokens: missing. Write tokens: keepTokens()")
  const { account } = await findOwnAccount(visit.cookies, options, context)
  const { isSealing, revoke } = feature
  const sealer = createSealer(context.secrets)
  const tokens = await createAccountVault({ store, sealer, isSealing, key: account }, account).read()
  // Without the row, no other process uses or refreshes them.
  await store.unlinkAccount({ provider: account.provider, providerAccountId: account.providerAccountId })
  return {
    isRevoked:
      tokens !== null && revoke !== "never" && (await revokeTokens(tokens, account, { context, request: visit })),
  }
}
