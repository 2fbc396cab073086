import { expect } from "vitest"
import type { AdapterCase } from "./adapter-case.js"
import { orRefusal } from "./expectations.js"
import { sampleUser, unique } from "./samples.js"

/** What providers vouched for. */
export const emailCases: readonly AdapterCase[] = [
  {
    claim: "knows of no address that it is proven unless it was told",
    needs: ["createUser", "isEmailVerified"],
    async run(adapter) {
      const { id, email } = await adapter.createUser(sampleUser())
      expect(await adapter.isEmailVerified({ id, email })).toBe(false)
      expect(await adapter.isEmailVerified({ id: crypto.randomUUID(), email })).toBe(false)
    },
  },
  {
    claim: "keeps nothing of an address of somebody who is not there",
    needs: ["markEmailVerified", "isEmailVerified"],
    async run(adapter) {
      const userId = crypto.randomUUID()
      const email = `${unique("ada")}@example.com`
      await orRefusal(() => adapter.markEmailVerified({ userId, email, provider: "harbour" }))
      expect(await adapter.isEmailVerified({ id: userId, email })).toBe(false)
    },
  },
  {
    claim: "keeps that an address is proven for this user and this address alone, however often it is told",
    needs: ["createUser", "markEmailVerified", "isEmailVerified"],
    async run(adapter) {
      const [ada, ben] = [await adapter.createUser(sampleUser()), await adapter.createUser(sampleUser())]
      for (const provider of ["harbour", "harbour", "lagoon"]) {
        await adapter.markEmailVerified({ userId: ada.id, email: ada.email, provider })
      }
      expect(await adapter.isEmailVerified(ada)).toBe(true)
      expect(await adapter.isEmailVerified(ben)).toBe(false)
      for (const email of [ben.email, `${ada.email}x`, ada.email.toUpperCase(), ""]) {
        expect(await adapter.isEmailVerified({ id: ada.id, email })).toBe(false)
      }
    },
  },
  {
    claim: "forgets with a user that an address was proven",
    needs: ["createUser", "deleteUser", "markEmailVerified", "isEmailVerified"],
    async run(adapter) {
      const user = await adapter.createUser(sampleUser())
      await adapter.markEmailVerified({ userId: user.id, email: user.email, provider: "harbour" })
      await adapter.deleteUser(user.id)
      expect(await adapter.isEmailVerified(user)).toBe(false)
      const again = await adapter.createUser(sampleUser({ email: user.email }))
      expect(await adapter.isEmailVerified(again)).toBe(false)
    },
  },
]
