import { createSealer, type SealedClaims, type Sealer } from "../../crypto/seal.js"
import type { Store } from "../../host/store.js"
import { isSameId, toIdText } from "../../runtime/id.js"
import { andThen, isPromiseLike } from "../../runtime/promise.js"
import type { AdapterAccount } from "../../types/adapter.js"
import type { TokenReplacement } from "../../types/adapter-features.js"
import type { Awaitable } from "../../types/basics.js"
import { type KeptTokens, toKeptTokens } from "./keeper.js"
import {
  type AccountKey,
  type BoundSealer,
  bindSealer,
  type ClearableVault,
  createSealedMemory,
  type PlaceContext,
  renewals,
  type TokenPlace,
} from "./place.js"

/** The fields that are sealed at rest. */
const secretFields = ["access_token", "refresh_token", "id_token"] as const
type SecretField = (typeof secretFields)[number]

/** Tells a sealed token from one that was stored before, whose form only its provider knows. */
const prefix = "sealed:"

/** Stored tokens do not expire; their sealing has to have an end. */
const sealedForSeconds = 100 * 365 * 24 * 60 * 60

/**
 * Stored in place of a refresh token that the provider did not give. The store replaces tokens only if it has the
 * expected refresh token, so each account needs one.
 */
const noToken = ""

export interface AccountVaultOptions {
  readonly store: Pick<Store, "getAccount" | "replaceTokens">
  readonly sealer: Sealer
  /** Opens access tokens that are used often. Default: the sealer. */
  readonly opener?: Sealer
  /** Whether new tokens are sealed. Sealed ones are opened in any case. */
  readonly isSealing: boolean
  readonly key: AccountKey
}

/** The tokens in the row of a linked account. */
export interface AccountVault extends ClearableVault {
  /** The tokens as they are stored in a new row. */
  seal(tokens: KeptTokens): Promise<KeptTokens>
  /** Writes the tokens of a sign-in over those of the row, even while another caller refreshes them. */
  renew(tokens: KeptTokens): Promise<void>
}

/** The tokens in the rows of linked accounts. Their sign-ins write them with the row. */
export function createAccountPlace(
  { store, secrets }: PlaceContext & { readonly store: Store },
  isSealing: boolean,
): TokenPlace {
  const sealer = createSealer(secrets)
  const opener = rememberOpened(sealer)
  return {
    leases: {
      take: async (lease) => store.takeLease(lease),
      drop: async (lease) => void (await store.dropLease(lease)),
    },
    async list(userId, _, provider) {
      const accounts = await store.listAccountsByUserId(userId)
      return accounts
        .filter((account) => provider === undefined || account.provider === provider)
        .map((account) => {
          // As text, to which the tokens are bound: some adapters return a number.
          const key = { ...account, providerAccountId: toIdText(account.providerAccountId), userId }
          return { key, vault: createAccountVault({ store, sealer, opener, isSealing, key }, account) }
        })
    },
    begin: async () => [],
  }
}

/** How many opened tokens a process remembers. With the longest tokens that providers issue, they take a few megabytes. */
const maxOpened = 1000

/**
 * Remembers what it opened, by the sealed text: opening the token would otherwise take most of the time of a call, apart from
 * the read of the store. Only for texts of one purpose, and for callers who compare the owner, which is among the claims.
 */
function rememberOpened(sealer: Sealer): Sealer {
  const opened = createSealedMemory<SealedClaims>(maxOpened)
  return {
    seal: sealer.seal,
    open: (purpose, text) =>
      opened.get(text) ??
      andThen(sealer.open(purpose, text), (claims) => {
        if (claims) opened.set(text, claims)
        return claims
      }),
  }
}

/** The row of an account. */
interface AccountRow {
  find(): Promise<AdapterAccount | null>
  /** Lets the next `find` return a row that was just read. */
  keep(account: AdapterAccount): void
  /** @param from The refresh token as it is stored. Null: there is none. */
  write(from: string | null, tokens: KeptTokens): Promise<boolean>
  toStored(tokens: KeptTokens): Awaitable<KeptTokens>
}

function openRow({ store, sealer, isSealing, key }: AccountVaultOptions, first?: AdapterAccount): AccountRow {
  const { provider, providerAccountId, userId } = key
  let known = first
  const toStored = (tokens: KeptTokens) => (isSealing ? sealTokens(tokens, key, sealer) : withoutLifetime(tokens))
  return {
    toStored,
    async find() {
      const account = known ?? (await store.getAccount(providerAccountId, provider)) ?? null
      known = undefined
      return account && isSameId(account.userId, userId) ? account : null
    },
    keep(account) {
      known = account
    },
    async write(from, tokens) {
      const { access_token, expires_at = null } = tokens
      // Without a new access token, the expiry of the old one stays.
      const replacement: TokenReplacement["tokens"] = {
        ...(await toStored(tokens)),
        ...(access_token !== undefined && { expires_at }),
      }
      return store.replaceTokens({ provider, providerAccountId }, { from, tokens: replacement })
    },
  }
}

/** @param first The row, if it was just read. It saves the first lookup. */
export function createAccountVault(options: AccountVaultOptions, first?: AdapterAccount): AccountVault {
  const { sealer, opener = sealer, key } = options
  const row = openRow(options, first)
  /** What the row had when it was read last: two seals of one token differ, and the store compares texts. */
  let last: { readonly token: string | undefined; readonly stored: string | undefined } | undefined

  return {
    async peek() {
      const account = await row.find()
      if (account === null) return null
      // Should it be due, `read` goes on with the same row.
      row.keep(account)
      // Field by field: most calls need nothing else, and copies of the row would take as long as reading it.
      const { access_token, expires_at, scope, token_type } = account
      const tokens: KeptTokens = {}
      const opened = openField("access_token", access_token, key, opener)
      const { text } = isPromiseLike(opened) ? await opened : opened
      if (text !== undefined) tokens.access_token = text
      if (expires_at != null) tokens.expires_at = expires_at
      if (scope != null) tokens.scope = scope
      if (token_type != null) tokens.token_type = token_type
      return tokens
    },
    async read() {
      const account = await row.find()
      if (account === null) return null
      const tokens = await openTokens(withoutNulls(account), key, sealer)
      last = { token: tokens.refresh_token, stored: account.refresh_token ?? undefined }
      return tokens
    },
    async replace(from, tokens) {
      if (last?.token !== from || last.stored === undefined) return false
      return row.write(last.stored, tokens)
    },
    seal: async (tokens) => row.toStored({ ...tokens, refresh_token: tokens.refresh_token ?? noToken }),
    async renew(tokens) {
      for (let n = 0; n < renewals; n++) {
        const account = await row.find()
        if (account === null) return
        const { refresh_token: stored = null } = account
        // A row from before has none. From then on it has one, with which the next call replaces its tokens.
        const renewed = stored === null ? { ...tokens, refresh_token: tokens.refresh_token ?? noToken } : tokens
        if (await row.write(stored, renewed)) return
      }
    },
    async clear() {
      for (let n = 0; n < renewals; n++) {
        const account = await row.find()
        if (account === null) return null
        const tokens = await openTokens(withoutNulls(account), key, sealer)
        const cleared = { access_token: noToken, refresh_token: noToken }
        if (await row.write(account.refresh_token ?? null, cleared)) return tokens
      }
      return null
    },
  }
}

/**
 * Seals the tokens of an account for the store. Each is bound to its account, user and field: a token that was copied to
 * another place does not open.
 * @internal Exported for its tests.
 */
export async function sealTokens(tokens: KeptTokens, key: AccountKey, sealer: Sealer): Promise<KeptTokens> {
  const sealed = withoutLifetime(tokens)
  const { lifetime } = tokens
  for (const field of secretFields) {
    const value = tokens[field]
    if (value === undefined) continue
    // Stores have no column for the lifetime, which only a refresh needs.
    const claims = field === "refresh_token" && lifetime !== undefined ? { value, lifetime } : { value }
    sealed[field] = `${prefix}${await bindTo(key, field, sealer).seal(claims, sealedForSeconds)}`
  }
  return sealed
}

function withoutLifetime({ lifetime: _, ...tokens }: KeptTokens): KeptTokens {
  return tokens
}

/** The decrypted tokens. One that does not open is left out. */
async function openTokens(stored: KeptTokens, key: AccountKey, sealer: Sealer): Promise<KeptTokens> {
  const { access_token: _a, refresh_token: _r, id_token: _i, ...opened } = toKeptTokens(stored)
  const tokens: KeptTokens = opened
  for (const field of secretFields) {
    const { text, lifetime } = await openField(field, stored[field], key, sealer)
    if (text !== undefined) tokens[field] = text
    if (lifetime !== undefined) tokens.lifetime = lifetime
  }
  return tokens
}

interface OpenedField {
  /** The decrypted token. Undefined if there is none, or if it does not open. */
  readonly text?: string
  readonly lifetime?: number
}

function openField(
  field: SecretField,
  stored: string | null | undefined,
  key: AccountKey,
  sealer: Sealer,
): Awaitable<OpenedField> {
  if (!stored?.startsWith(prefix)) return stored ? { text: stored } : {}
  return andThen(bindTo(key, field, sealer).open(stored.slice(prefix.length)), (claims) => {
    const { value, lifetime } = claims ?? {}
    return {
      ...(typeof value === "string" && value !== noToken && { text: value }),
      ...(typeof lifetime === "number" && { lifetime }),
    }
  })
}

function bindTo({ provider, providerAccountId, userId }: AccountKey, field: SecretField, sealer: Sealer): BoundSealer {
  return bindSealer(sealer, "token:account", [provider, providerAccountId, String(userId), field])
}

/** Adapters return null for a column that is empty. */
function withoutNulls(account: AdapterAccount): KeptTokens {
  return Object.fromEntries(Object.entries(account).filter(([, value]) => value !== null))
}
