import { describe, expect, it } from "vitest"
import { isHandleOf, toUserHandle } from "./user.js"

const vera = "0b9f1c1e-4a53-4c0e-9d0a-6f1f7a1c2d3e"
const walt = "1c9f1c1e-4a53-4c0e-9d0a-6f1f7a1c2d3e"

/** A store with these users. */
const storeOf = (...ids: readonly string[]) => ({
  getUser: async (id: string) => (ids.includes(id) ? { id, email: `${id}@corp.test`, emailVerified: null } : null),
})

const base64url = (text: string) => Buffer.from(text).toString("base64url")

async function check(handle: string, ownerId: string, { ids = [vera, walt], isForeignAccepted = false } = {}) {
  return isHandleOf({ handle, owner: { id: ownerId }, isForeignAccepted }, storeOf(...ids))
}

describe("a user handle", () => {
  it.each([vera, "u-v", "7", "x".repeat(500)])("has at most 64 bytes and is always the same for %s", async (id) => {
    const handle = await toUserHandle(id)
    expect(Buffer.from(handle, "base64url").length).toBeLessThanOrEqual(64)
    expect(await toUserHandle(id)).toBe(handle)
    expect(await check(handle, id)).toBe(true)
  })

  it("belongs to one user only", async () => {
    for (const [own, other] of [
      [vera, walt],
      ["u-v", "u-w"],
      [vera, "u-w"],
      ["u-w", vera],
    ] as const) {
      const isOthers = await check(await toUserHandle(other), own, { ids: [own, other], isForeignAccepted: true })
      // A store with IDs that are not UUIDs cannot look up the UUID of a sign-up.
      expect(isOthers).toBe(own === "u-w" && other === vera)
    }
  })

  it("of a sign-up is accepted if the store assigned another id", async () => {
    expect(await check(await toUserHandle(walt), vera, { ids: [vera] })).toBe(true)
    expect(await check(await toUserHandle(walt), "42", { ids: ["42"] })).toBe(true)
  })

  it("can be the plain id, as other libraries use it", async () => {
    expect(await check(base64url("u-v"), "u-v")).toBe(true)
    expect(await check(base64url("u-w"), "u-v")).toBe(false)
  })

  const random = "0123456789abcdef".repeat(4)

  it.each([base64url(random), random])("that Auth.js made at random is accepted: %s", async (handle) => {
    expect(await check(handle, vera)).toBe(true)
    expect(await check(handle, "42")).toBe(true)
  })

  it("is not taken for a random one where the ids of users look like them", async () => {
    const [own, other] = [random, random.replace("0", "f")]
    expect(await check(base64url(own), own, { ids: [own, other] })).toBe(true)
    for (const handle of [base64url(other), other]) expect(await check(handle, own, { ids: [own, other] })).toBe(false)
  })

  it.each([random.slice(1), random.toUpperCase(), `${random}0`])("is not taken for a random one: %s", async (text) => {
    for (const handle of [base64url(text), text]) expect(await check(handle, vera)).toBe(false)
  })

  it.each(["", "AAAA", base64url("random bytes of thirty-two chars"), "not base64url!"])(
    "that was made elsewhere (%j) passes only where the host says so, and only as base64url",
    async (handle) => {
      expect(await check(handle, vera)).toBe(false)
      expect(await check(handle, vera, { isForeignAccepted: true })).toBe(!handle.includes("!"))
    },
  )
})
