import type { User } from "@latchkey/types"
import { describe, expect, it } from "vitest"
import { complete, createFakeProvider, oauthProvider, rejectionOf } from "../../test/fake-provider.js"

async function completeWithProfile(profile: Record<string, unknown>): Promise<unknown> {
  const fake = await createFakeProvider()
  fake.answer("userinfo", () => Response.json(profile))
  return complete(oauthProvider(fake))
}

async function completeWithCallback(profile: () => unknown): Promise<unknown> {
  const fake = await createFakeProvider()
  // What plain JavaScript might return.
  return complete(oauthProvider(fake, { profile: profile as () => User }))
}

describe("a profile's id", () => {
  it.each([
    ["no id", { email: "v@corp.test", name: "n" }],
    ["an empty id", { id: "" }],
    ["a blank id", { id: "  " }],
    ["the id 0", { id: 0 }],
    ["null", { id: null }],
    ["an object", { id: {} }],
    ["a list", { id: ["1"] }],
    ["a truth value", { id: true }],
    ["a number that JSON.parse rounds to another user's", JSON.parse('{"id":9007199254740993}')],
    ["an endless id", { id: "1".repeat(10_000) }],
  ])("OAU-39: is rejected: %s", async (_, profile) => {
    const error = await rejectionOf(completeWithProfile(profile))
    expect(error).toMatchObject({ type: "OAuthProfileParseError", cause: { provider: "oauth" } })
    expect(error.cause?.["err"]).toBeInstanceOf(TypeError)
  })

  it.each(["undefined", "null", "0", "NaN", "[object Object]"])(
    "OAU-39: is rejected when the callback converted a missing id to the text %s",
    async (id) => {
      expect(await rejectionOf(completeWithCallback(() => ({ id })))).toMatchObject({ type: "OAuthProfileParseError" })
    },
  )

  it("is converted to a string if it is a number", async () => {
    const { account } = (await completeWithProfile({ id: 4711 })) as { account: unknown } // The default callback's result.
    expect(account).toMatchObject({ providerAccountId: "4711" })
  })
})

describe("the profile callback", () => {
  const thrown = new Error("the host's words")
  it.each<[string, () => unknown]>([
    ["throws", () => Promise.reject(thrown)],
    ["throws a value that is not an Error", () => Promise.reject("text")],
    ["returns null", () => null],
    ["returns nothing", () => undefined],
    ["returns text", () => "user"],
    ["returns an object as id", () => ({ id: {} })],
    ["returns a name of a megabyte", () => ({ id: "1", name: "x".repeat(1024 * 1024) })],
    ["returns an object as email", () => ({ id: "1", email: {} })],
  ])("OAU-52: fails the sign-in when it %s", async (_, profile) => {
    const error = await rejectionOf(completeWithCallback(profile))
    expect(error).toMatchObject({ type: "OAuthProfileParseError", cause: { provider: "oauth" } })
    expect(error.cause?.["err"]).toBeInstanceOf(Error)
  })

  it("keeps the error that it threw", async () => {
    const error = await rejectionOf(completeWithCallback(() => Promise.reject(thrown)))
    expect(error.cause?.["err"]).toBe(thrown)
  })

  it("may add fields; its id is replaced and its email lowercased", async () => {
    const result = await completeWithCallback(() => ({ id: "7", email: "Ada@Corp.test", role: "admin" }))
    expect(result).toMatchObject({
      user: { email: "ada@corp.test", role: "admin" },
      account: { providerAccountId: "7" },
    })
    expect(result).not.toMatchObject({ user: { id: "7" } })
  })

  it("may omit the email", async () => {
    const result = (await completeWithCallback(() => ({ id: "7" }))) as { user: User } // The callback's result.
    expect(result.user).not.toHaveProperty("email")
  })
})
