import type { Adapter, VerificationToken } from "@latchkey/core/adapters"
import { accountMethods, authenticatorMethods } from "./accounts.js"
import { createOperations, type RedisClient, type RunOperation, toDriver } from "./client.js"
import { credentialMethods, temporaryMethods } from "./credentials.js"
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
  readonly prefix?: string
  /** How long a call may take, including connecting, before it fails. Default: 5000. */
  readonly timeoutMilliseconds?: number
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
export function RedisAdapter(client: RedisClient, options: RedisAdapterOptions = {}): RedisMethods {
  const { prefix = "latchkey", timeoutMilliseconds = 5000 } = options
  if (!(timeoutMilliseconds > 0 && timeoutMilliseconds <= longestTimerMs)) {
    throw new TypeError("RedisAdapter: timeoutMilliseconds must be a positive number of milliseconds")
  }
  const run = createOperations(toDriver(client), timeoutMilliseconds)
  const keys = createKeys(prefix)
  return {
    ...userMethods(run, keys),
    ...accountMethods(run, keys),
    ...authenticatorMethods(run, keys),
    ...sessionMethods(run, keys),
    ...tokenMethods(run, keys),
    ...temporaryMethods(run, keys),
    ...detailMethods(run, keys),
    ...credentialMethods(run, keys),
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
