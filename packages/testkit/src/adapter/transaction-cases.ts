import type { Adapter } from "@latchkey/core/adapters"
import { expect } from "vitest"
import {
  type AdapterCase,
  expectNull,
  expectRecord,
  keyOfAccount,
  sampleAccount,
  sampleSession,
  sampleUser,
} from "./adapter-case.js"

type Complete = Required<Adapter>

async function inTransaction<T>(adapter: Complete, work: (within: Complete) => Promise<T>): Promise<T> {
  return await adapter.transaction((within) => work(within as Complete)) // as: it has the methods of the adapter
}

const failure = new Error("undo it all")

/** Promises about transactions. */
export const transactionCases: readonly AdapterCase[] = [
  {
    claim: "keeps all writes of a transaction, and returns its result",
    needs: ["transaction", "createUser", "linkAccount", "getUserByAccount"],
    async run(adapter) {
      const account = sampleAccount("")
      const user = await inTransaction(adapter, async (within) => {
        const created = await within.createUser(sampleUser())
        await within.linkAccount({ ...account, userId: created.id })
        expectRecord(await within.getUserByAccount(keyOfAccount(account)), created)
        return created
      })
      expectRecord(await adapter.getUserByAccount(keyOfAccount(account)), user)
    },
  },
  {
    claim: "undoes all writes of a transaction that fails, and throws its error",
    needs: [
      "transaction",
      "createUser",
      "getUser",
      "updateUser",
      "createSession",
      "getSessionAndUser",
      "deleteSession",
    ],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      const kept = await adapter.createSession(sampleSession(user.id))
      const session = sampleSession(user.id)
      const transaction = inTransaction(adapter, async (within) => {
        await within.updateUser({ id: user.id, name: "Eve" })
        await within.createSession(session)
        await within.deleteSession(kept.sessionToken)
        throw failure
      })
      await expect(transaction).rejects.toBe(failure)
      expectRecord(await adapter.getUser(user.id), user)
      expectNull(await adapter.getSessionAndUser(session.sessionToken))
      expectRecord((await adapter.getSessionAndUser(kept.sessionToken))?.session, kept)
    },
  },
  {
    claim: "joins a transaction inside of another one",
    needs: ["transaction", "createUser", "getUserByEmail"],
    async run(adapter) {
      const created: string[] = []
      const transaction = inTransaction(adapter, async (within) => {
        created.push((await within.createUser(sampleUser())).email)
        await inTransaction(within, async (inner) => {
          created.push((await inner.createUser(sampleUser())).email)
        })
        throw failure
      })
      await expect(transaction).rejects.toBe(failure)
      expect(created).toHaveLength(2)
      for (const email of created) expectNull(await adapter.getUserByEmail(email))
    },
  },
  {
    claim: "keeps the writes of other callers when a transaction fails",
    needs: ["transaction", "createUser", "getUserByEmail"],
    async run(adapter) {
      const [inside, outside] = [sampleUser(), sampleUser()]
      let created: PromiseLike<unknown> | undefined
      const transaction = inTransaction(adapter, async (within) => {
        await within.createUser(inside)
        created = Promise.resolve(adapter.createUser(outside))
        await new Promise((resolve) => setTimeout(resolve, 20))
        throw failure
      })
      await expect(transaction).rejects.toBe(failure)
      await created
      expectRecord(await adapter.getUserByEmail(outside.email), { email: outside.email })
      expectNull(await adapter.getUserByEmail(inside.email))
    },
  },
  {
    claim: "runs many concurrent transactions",
    needs: ["transaction", "createUser", "getUser", "updateUser"],
    async run(adapter, callers) {
      const users = await Promise.all(
        Array.from({ length: callers }, (_, index) =>
          inTransaction(adapter, async (within) => {
            const { id } = await within.createUser(sampleUser())
            return await within.updateUser({ id, name: `user-${index}` })
          }),
        ),
      )
      for (const user of users) expectRecord(await adapter.getUser(user.id), user)
    },
  },
]
