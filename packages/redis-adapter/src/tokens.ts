import type { Adapter, VerificationToken } from "@latchkey/core/adapters"
import type { RunOperation } from "./operation.js"
import { toMs } from "./owned-records.js"
import { randomText } from "./random-text.js"
import { createRecord, spendId, takeRecord } from "./scripts/record-scripts.js"
import { digestOf, digestOfToken, type StoreKeys } from "./store-keys.js"
import { fromStored, toHash, toStored } from "./stored-hash.js"

type TokenMethods = Required<Pick<Adapter, "createVerificationToken" | "useVerificationToken" | "consumeOnce">>

/** What is used once. */
export function tokenMethods(run: RunOperation, keys: StoreKeys): TokenMethods {
  return {
    createVerificationToken: (token) =>
      run(async (redis) => {
        const by = randomText()
        const fields = toStored(token)
        const values = [by, by, String(toMs(token.expires)), "", ...fields]
        const held = await redis.run(createRecord, [keys.token(digestOfToken(token))], values)
        if (Array.isArray(held)) throw new Error("createVerificationToken: such a token exists already")
        return fromStored<VerificationToken>(toHash(fields))
      }),
    useVerificationToken: (wanted) =>
      run(async (redis) =>
        fromStored<VerificationToken>(toHash(await redis.run(takeRecord, [keys.token(digestOfToken(wanted))]))),
      ),
    consumeOnce: (id, expires) =>
      run(async (redis) => {
        const isFirst = await redis.run(spendId, [keys.spent(digestOf(id))], [randomText(), String(toMs(expires))])
        return Number(isFirst) === 1
      }),
  }
}
