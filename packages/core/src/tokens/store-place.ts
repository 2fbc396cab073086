import { sha256Hex } from "../crypto/hash.js"
import { createSealer, type Sealer } from "../crypto/seal.js"
import { toError } from "../errors/auth-error.js"
import { AdapterError } from "../errors/errors.js"
import { cleanError } from "../host/redact.js"
import { systemClock } from "../runtime/promise.js"
import type { TokenStore } from "../types/adapter-features.js"
import type { Awaitable } from "../types/basics.js"
import { toKeptTokens } from "./account-vault.js"
import type { KeptTokens } from "./keeper.js"
import {
  type AccountTokens,
  type ClearableVault,
  type FoundTokens,
  findMissingLink,
  keptSeconds,
  type PlaceContext,
  type TokenOwner,
  type TokenPlace,
  withRefreshToken,
} from "./place.js"

/** How often a sign-in tries to write its tokens while others write theirs. */
const renewals = 5

/** Tokens in a store beside the database: those of one account for each user and provider, that of the last sign-in. */
export function createStorePlace(given: TokenStore, context: PlaceContext): TokenPlace {
  const store = toLoggedStore(given, context)
  const sealer = createSealer(context.secrets)

  async function find(owner: TokenOwner): Promise<FoundTokens | null> {
    const record = openRecord(owner, store, sealer)
    const first = await record.read()
    if (first === null) return null
    const key = { ...owner, providerAccountId: first.account }
    return { key, vault: createStoreVault(first, record), findObstacle: () => findMissingLink(key, context) }
  }

  return {
    leases: { take: store.takeLease, drop: async (lease) => void (await store.dropLease(lease)) },
    async list(userId, _, provider) {
      const ids = provider === undefined ? [...context.providers.keys()] : [provider]
      const all = await Promise.all(ids.map((id) => find({ provider: id, userId })))
      return all.filter((found) => found !== null)
    },
    async begin(userId, { provider, received }) {
      if (received === null) return []
      const record = openRecord({ provider, userId }, store, sealer)
      try {
        for (let n = 0; n < renewals; n++) {
          const former = await record.read()
          if (await record.write(former, withRefreshToken(received, former))) break
        }
      } catch {
        // The error is in the log. The sign-in goes on, and the app asks for another one when it needs a token.
      }
      return []
    },
  }
}

/** A value as it was read. */
interface ReadTokens extends AccountTokens {
  readonly text: string
}

/** The value of one user and provider. */
interface TokenRecord {
  /** Null if there is none that opens. */
  read(): Promise<ReadTokens | null>
  /** @param to Null removes it. */
  write(from: ReadTokens | null, to: AccountTokens | null): Promise<boolean>
}

function openRecord({ provider, userId }: TokenOwner, store: LoggedStore, sealer: Sealer): TokenRecord {
  const names = JSON.stringify([provider, String(userId)])
  const purpose = `token-store:${names}`
  const key = sha256Hex(`tokens ${names}`)
  /** One that does not open, such as after its secret was removed: a sign-in has to replace it. */
  let unreadable: string | null = null
  return {
    async read() {
      const text = await store.get(await key)
      const claims = text === null ? null : await sealer.open(purpose, text)
      unreadable = claims === null ? text : null
      if (text === null || claims === null) return null
      const { account, ...tokens } = claims
      // as: only `write` seals for this purpose.
      return { text, account: String(account), tokens: toKeptTokens(tokens as KeptTokens) }
    },
    async write(from, to) {
      const text = to && (await sealer.seal(purpose, { ...to.tokens, account: to.account }, keptSeconds))
      const expires = new Date(systemClock() + keptSeconds * 1000)
      return store.replace(await key, { from: from?.text ?? unreadable, to: text, expires })
    },
  }
}

function createStoreVault(first: ReadTokens, record: TokenRecord): ClearableVault {
  const { account } = first
  let known: ReadTokens | null = first
  let last: ReadTokens = first
  /** Null if the user has signed in with another account since. */
  async function read(): Promise<ReadTokens | null> {
    const found = known ?? (await record.read())
    known = null
    if (found?.account !== account) return null
    last = found
    return found
  }
  return {
    read: async () => (await read())?.tokens ?? null,
    replace: async (from, tokens) => last.tokens.refresh_token === from && record.write(last, { account, tokens }),
    async clear() {
      for (let n = 0; n < renewals; n++) {
        const found = await read()
        if (found === null) return null
        if (await record.write(found, null)) return found.tokens
      }
      return null
    },
  }
}

/** The same store, whose errors are logged once and rethrown as `AdapterError`. */
type LoggedStore = {
  readonly [Name in keyof TokenStore]: (
    ...values: Parameters<TokenStore[Name]>
  ) => Promise<Awaited<ReturnType<TokenStore[Name]>>>
}

function toLoggedStore(given: TokenStore, { log }: PlaceContext): LoggedStore {
  async function call<T>(name: keyof TokenStore, work: () => Awaitable<T>, values: readonly unknown[]): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const failure = new AdapterError(`tokens.keep: ${name} failed`, cleanError(toError(error), values))
      log.error(failure)
      throw failure
    }
  }
  return {
    get: (...values) => call("get", () => given.get(...values), values),
    replace: (...values) => call("replace", () => given.replace(...values), values),
    takeLease: (...values) => call("takeLease", () => given.takeLease(...values), values),
    dropLease: (...values) => call("dropLease", () => given.dropLease(...values), values),
  }
}
