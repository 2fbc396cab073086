import { describe, expect, it } from "vitest"
import { sampleUser } from "./adapter-case.js"
import { memoryAdapter } from "./memory-adapter.js"
import { testAdapter } from "./test-adapter.js"
import { testFeatures } from "./test-features.js"

testAdapter({ name: "memoryAdapter", create: () => ({ adapter: memoryAdapter() }) })

testFeatures({ name: "memoryAdapter", create: () => ({ adapter: memoryAdapter() }) })

describe("memoryAdapter", () => {
  it("records its calls, with a copy of the arguments", async () => {
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

  it("does not record calls of another adapter", async () => {
    await memoryAdapter().getUser("unknown")
    expect(memoryAdapter().calls).toEqual([])
  })

  it("allows many users without email", async () => {
    const adapter = memoryAdapter()
    for (const id of ["a", "b"]) await adapter.createUser({ ...sampleUser({ id }), email: null as unknown as string })
    expect(await adapter.getUser("b")).not.toBeNull()
  })

  it("rejects a session and an account of an unknown user", async () => {
    const adapter = memoryAdapter()
    await expect(
      (async () => await adapter.createSession({ sessionToken: "s", userId: "unknown", expires: new Date() }))(),
    ).rejects.toThrow("no such user")
    await expect(
      (async () =>
        await adapter.linkAccount({ userId: "unknown", type: "oidc", provider: "p", providerAccountId: "1" }))(),
    ).rejects.toThrow("no such user")
  })
})
