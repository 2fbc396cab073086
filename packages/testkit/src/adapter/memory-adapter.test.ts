import { describe, expect, it } from "vitest"
import { sampleUser } from "./adapter-case.js"
import { memoryAdapter } from "./memory-adapter.js"
import { testAdapter } from "./test-adapter.js"

testAdapter({ name: "memoryAdapter", create: () => ({ adapter: memoryAdapter() }) })

describe("memoryAdapter", () => {
  it("records its calls, with the arguments as they were", async () => {
    const adapter = memoryAdapter()
    const user = sampleUser({ name: "Ada" })
    await adapter.createUser(user)
    user.name = "Eve"
    await adapter.getUserByEmail(user.email)
    expect(adapter.calls).toEqual([
      { method: "createUser", args: [{ ...user, name: "Ada" }] },
      { method: "getUserByEmail", args: [user.email] },
    ])
  })

  it("records no calls of another adapter", async () => {
    await memoryAdapter().getUser("somebody")
    expect(memoryAdapter().calls).toEqual([])
  })

  it("lets many users have no email", async () => {
    const adapter = memoryAdapter()
    for (const id of ["a", "b"]) await adapter.createUser({ ...sampleUser({ id }), email: null as unknown as string })
    expect(await adapter.getUser("b")).not.toBeNull()
  })

  it("refuses a session and an account for a user who is not there", async () => {
    const adapter = memoryAdapter()
    await expect(
      (async () => await adapter.createSession({ sessionToken: "s", userId: "nobody", expires: new Date() }))(),
    ).rejects.toThrow("no such user")
    await expect(
      (async () =>
        await adapter.linkAccount({ userId: "nobody", type: "oidc", provider: "p", providerAccountId: "1" }))(),
    ).rejects.toThrow("no such user")
  })
})
