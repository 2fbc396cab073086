import { describe, expect, it } from "vitest"
import { accountChangeCases } from "./account-change-cases.js"
import { type MemoryAdapter, memoryAdapter } from "./memory-adapter.js"

/** A store whose tables require an email when a user is created, but not later. */
function requireEmailAtFirst(adapter: MemoryAdapter): MemoryAdapter {
  return {
    ...adapter,
    async createUser(user) {
      if (user.email === null) throw new Error("email: NOT NULL")
      return adapter.createUser(user)
    },
  }
}

/** A store whose tables always require one. */
function requireEmail(adapter: MemoryAdapter): MemoryAdapter {
  return {
    ...requireEmailAtFirst(adapter),
    async replaceEmail(change) {
      if (change.to === null) throw new Error("email: NOT NULL")
      return adapter.replaceEmail(change)
    },
  }
}

describe("the cases of users without an email", () => {
  const cases = accountChangeCases.filter(({ claim }) => claim.includes("gives a user without an email"))

  it("require that a store without such users removes no email", async () => {
    expect(cases).toHaveLength(2)
    for (const one of cases) {
      await one.run(requireEmail(memoryAdapter()), 5)
      await expect(one.run(requireEmailAtFirst(memoryAdapter()), 5)).rejects.toThrow()
    }
  })
})
