import type { Adapter, VerificationToken } from "@latchkey/core/adapters"
import { digestOf } from "./digest.js"
import type { Items } from "./items.js"
import { fromStored, toStored } from "./stored-fields.js"

type TokenMethods = Required<Pick<Adapter, "createVerificationToken" | "useVerificationToken">>

/** What the store itself can do in one step: true for the first caller with an id, of however many. */
export type SpendOnce = NonNullable<Adapter["consumeOnce"]>

/** @param consumeOnce - without it, callers who come at the same moment may all get the token */
export function tokenMethods(items: Items, consumeOnce: SpendOnce | undefined): TokenMethods {
  return {
    async createVerificationToken(token) {
      const digest = await digestOf(token.identifier, token.token)
      if (await items.find("token", digest)) throw new Error("createVerificationToken: such a token exists already")
      const item = { by: crypto.randomUUID(), fields: toStored(token) }
      await items.put(["token", digest], item, token.expires)
      return fromStored<VerificationToken>(item)
    },
    async useVerificationToken({ identifier, token }) {
      const digest = await digestOf(identifier, token)
      const item = await items.find("token", digest)
      if (item?.by === undefined) return null
      const found = fromStored<VerificationToken>(item)
      // Compared with true: a store that answers with something else did not say that this caller was the first.
      const isFirst = consumeOnce === undefined || (await consumeOnce(item.by, found.expires)) === true
      await items.remove("token", digest)
      return isFirst ? found : null
    },
  }
}
