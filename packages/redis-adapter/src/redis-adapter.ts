import type { Adapter, TokenStore, VerificationToken } from "@latchkey/core/adapters"
import { accountChangeMethods } from "./account-changes.js"
import { accountMethods, authenticatorMethods } from "./accounts.js"
import { checkMethods, type RedisCheck } from "./check-store.js"
import { createOperations, type RedisClient, type RedisDriver, type RunOperation, toDriver } from "./client.js"
import { credentialMethods, temporaryMethods } from "./credentials.js"
import { readValue, replaceValue } from "./feature-scripts.js"
import { createKeys, createUniqueId, digestOf, digestOfToken, type StoreKeys } from "./keys.js"
import { consumeId, createRecord, takeRecord } from "./scripts.js"
import { detailMethods } from "./session-details.js"
import { sessionMethods } from "./sessions.js"
import { fromStored, toHash, toMs, toStored } from "./stored-hash.js"
import { userMethods } from "./users.js"

/** Options of `RedisAdapter`. */
export interface RedisAdapterOptions {
  /**
   * Begins every key, followed by `:`. Two services in one Redis need different prefixes. No braces. Default:
   * `latchkey`.
   */
  readonly prefix?: string | undefined
  /** How long a call may take, including connecting, before it fails. Default: 5000. */
  readonly timeoutMilliseconds?: number | undefined
}

/** All methods but `transaction`: Redis runs one in a single slot only. */
export type RedisMethods = Required<Omit<Adapter, "transaction">>

/** The longest delay that timers support. */
const longestTimerMs = 2_147_483_647

/**
 * Stores the records in Redis or Valkey, on one server or a cluster, through the host's `ioredis` or `redis` client.
 * The host connects the client, handles its errors and closes it.
 *
 * The server deletes expired sessions, verification tokens, consumed ids, temporary values and leases.
 * @throws TypeError if the client or an option is invalid
 */
export function RedisAdapter(client: RedisClient, options: RedisAdapterOptions = {}): RedisMethods & RedisCheck {
  const { run, keys, readSetting } = openRedis(client, options)
  return {
    ...userMethods(run, keys),
    ...accountMethods(run, keys),
    ...authenticatorMethods(run, keys),
    ...sessionMethods(run, keys),
    ...tokenMethods(run, keys),
    ...temporaryMethods(run, keys),
    ...detailMethods(run, keys),
    ...credentialMethods(run, keys),
    ...accountChangeMethods(run, keys),
    ...checkMethods({ run, readSetting }, keys),
  }
}

/** Operations on the keys of a service. */
interface OpenedRedis extends Pick<RedisDriver, "readSetting"> {
  readonly run: RunOperation
  readonly keys: StoreKeys
}

/** @throws TypeError if the client or an option is invalid */
function openRedis(client: RedisClient, options: RedisAdapterOptions): OpenedRedis {
  const { prefix = "latchkey", timeoutMilliseconds = 5000 } = options
  if (!(timeoutMilliseconds > 0 && timeoutMilliseconds <= longestTimerMs)) {
    throw new TypeError("RedisAdapter: timeoutMilliseconds must be a positive number of milliseconds")
  }
  const driver = toDriver(client)
  const { readSetting } = driver
  return { run: createOperations(driver, timeoutMilliseconds), readSetting, keys: createKeys(prefix) }
}

/**
 * A store for `accessTokens({ keep: RedisTokenStore(client) })`, for apps with another adapter. Its options and its client are
 * those of `RedisAdapter`. The server deletes tokens 400 days after they were written.
 * @throws TypeError if the client or an option is invalid
 */
export function RedisTokenStore(client: RedisClient, options: RedisAdapterOptions = {}): TokenStore {
  const { run, keys } = openRedis(client, options)
  const { takeLease, dropLease } = temporaryMethods(run, keys)
  return {
    get: (key) =>
      run(async (redis) => {
        const value = await redis.run(readValue, [keys.tokens(digestOf(key))])
        return typeof value === "string" ? value : null
      }),
    replace: (key, { from, to, expires }) =>
      run(async (redis) => {
        const values = [from ?? "", to ?? "", String(toMs(expires))]
        return Number(await redis.run(replaceValue, [keys.tokens(digestOf(key))], values)) === 1
      }),
    takeLease,
    dropLease,
  }
}

type TokenMethods = Required<Pick<Adapter, "createVerificationToken" | "useVerificationToken" | "consumeOnce">>

/** Verification tokens and consumed ids: records that are used once. */
function tokenMethods(run: RunOperation, keys: StoreKeys): TokenMethods {
  return {
    createVerificationToken: (token) =>
      run(async (redis) => {
        const by = createUniqueId()
        const fields = toStored(token)
        const values = [by, by, String(toMs(token.expires)), "", ...fields]
        const held = await redis.run(createRecord, [keys.token(digestOfToken(token))], values)
        if (Array.isArray(held)) throw new Error("createVerificationToken: the token already exists")
        return fromStored<VerificationToken>(toHash(fields))
      }),
    useVerificationToken: (token) =>
      run(async (redis) =>
        fromStored<VerificationToken>(toHash(await redis.run(takeRecord, [keys.token(digestOfToken(token))]))),
      ),
    consumeOnce: (id, expires) =>
      run(async (redis) => {
        const values = [createUniqueId(), String(toMs(expires))]
        return Number(await redis.run(consumeId, [keys.consumed(digestOf(id))], values)) === 1
      }),
  }
}
