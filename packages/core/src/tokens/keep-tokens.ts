import type { TokenStorage, TokenWriter } from "../account/link-oauth.js"
import type { SignedOutHook } from "../actions/context.js"
import { integer, type Kinds, oneOf } from "../config/options.js"
import { validateFactoryOptions } from "../config/validate.js"
import { createSealer } from "../crypto/seal.js"
import { findAdapterMistake } from "../host/adapter-mistakes.js"
import type { Store } from "../host/store.js"
import type { AdapterAccount } from "../types/adapter.js"
import type { TokenKeeping } from "../types/config.js"
import type { Feature } from "../types/resolved.js"
import { createAccountVault, toKeptTokens } from "./account-vault.js"
import { type RevocationMoment, revokeAtSignOut } from "./revoke.js"

/** Options of {@link keepTokens}. */
export interface KeepTokensOptions {
  /**
   * Whether tokens are encrypted in the database, with the `secret` of the configuration. Tokens from before are sealed
   * when they are written next. Set it to false if your own code reads them there. Default: true.
   */
  readonly encrypt?: boolean
  /** Seconds before its expiry from which on an access token is refreshed; at most an hour. Default: 60. */
  readonly refreshBefore?: number
  /**
   * When tokens are revoked at providers that have an endpoint for it, RFC 7009: `unlink`, by `unlinkAccount`; `sign-out`,
   * there too and after each sign-out, for all of the user's accounts; or `never`. Default: `unlink`.
   */
  readonly revoke?: RevocationMoment
}

/** The options of `keepTokens()` with their defaults, for `getAccessToken`. */
export interface TokenKeeper extends TokenStorage, Feature, Partial<SignedOutHook> {
  readonly isSealing: boolean
  /** Seconds. */
  readonly refreshBefore: number
  readonly revoke: RevocationMoment
}

/**
 * Keeps the access tokens of providers fresh: the value of the option `tokens`. Each sign-in writes the account's new
 * tokens, and `getAccessToken` refreshes those that are due, once across all processes. The adapter needs `takeLease`,
 * `dropLease`, `replaceTokens`, `getAccount` and `listAccountsByUserId`.
 * @example
 * tokens: keepTokens({ refreshBefore: 120 })
 */
export function keepTokens(options: KeepTokensOptions = {}): TokenKeeping {
  const { encrypt: isSealing = true, refreshBefore = 60, revoke = "unlink" } = options
  const keeper: TokenKeeper = {
    feature: "tokens",
    isSealing,
    refreshBefore,
    revoke,
    ...(revoke === "sign-out" && { onSignedOut: revokerAtSignOut(isSealing) }),
    validate: ({ adapter }) => validateFactoryOptions("tokens", options, kinds) ?? findAdapterMistake(needs, adapter),
    open: (store, secrets) => openAccounts(store, secrets, isSealing),
  }
  return Object.freeze(keeper)
}

function revokerAtSignOut(isSealing: boolean): SignedOutHook["onSignedOut"] {
  return (message, request, context) => {
    const userId = "token" in message ? message.token?.sub : message.session?.userId
    if (userId !== undefined) void revokeAtSignOut(String(userId), isSealing, { context, request })
  }
}

function openAccounts(store: Store, secrets: readonly string[], isSealing: boolean): TokenWriter {
  const sealer = createSealer(secrets)
  const vaultOf = (key: AdapterAccount) => createAccountVault({ store, sealer, isSealing, key })
  return {
    seal: async (account) => ({ ...account, ...(await vaultOf(account).seal(toKeptTokens(account))) }),
    renew: async (account) => vaultOf(account).renew(toKeptTokens(account)),
  }
}

const needs = {
  option: "tokens",
  methods: ["takeLease", "dropLease", "replaceTokens", "getAccount", "listAccountsByUserId"],
} as const

const hourSeconds = 60 * 60

const kinds: Kinds<KeepTokensOptions> = {
  encrypt: { words: "true or false", isValid: (value) => typeof value === "boolean" },
  refreshBefore: integer(0, hourSeconds, `an integer of seconds from 0 to ${hourSeconds}`),
  revoke: oneOf("unlink", "sign-out", "never"),
}
