import type { User } from "@latchkey/types"
import { describe, expect, it } from "vitest"
import {
  accessToken,
  complete,
  createFakeProvider,
  createSigningKey,
  oauthProvider,
  oidcProvider,
  rejectionOf,
} from "../../test/setup/fake-provider.js"
import { defaultProfile } from "./userinfo.js"

describe("the userinfo endpoint of an OpenID Connect provider", () => {
  it.each([
    ["of another subject", { sub: "subject-2", email: "v@corp.test" }],
    ["without a subject", { email: "v@corp.test" }],
  ])("OAU-37: is rejected with a response %s", async (_, answer) => {
    const fake = await createFakeProvider()
    fake.answer("userinfo", () => Response.json(answer))
    const error = await rejectionOf(complete(oidcProvider(fake, { idToken: false })))
    expect(error).toMatchObject({ type: "CallbackRouteError" })
    expect(error.message).toMatch(/"sub"/)
  })

  it("OAU-37: requires the ID token's subject in the result of userinfo.request", async () => {
    const fake = await createFakeProvider()
    const request = () => ({ sub: "subject-2" })
    const error = await rejectionOf(complete(oidcProvider(fake, { idToken: false, userinfo: { request } })))
    expect(error.message).toMatch(/another subject/)
  })

  it("is called with the access token if the ID token does not have the profile", async () => {
    const fake = await createFakeProvider()
    fake.answer("userinfo", () => Response.json({ sub: "subject-1", name: "from userinfo" }))
    const provider = oidcProvider(fake, { idToken: false, userinfo: { params: { fields: "name" } } })
    expect((await complete(provider)).user.name).toBe("from userinfo")
    const call = fake.calls.find(({ endpoint }) => endpoint === "userinfo")
    expect(call?.headers.get("authorization")).toBe(`Bearer ${accessToken}`)
    expect(call?.url).toBe("https://idp.test/userinfo?fields=name")
  })

  it("may return a signed token, whose signature is verified", async () => {
    const fake = await createFakeProvider()
    const provider = oidcProvider(fake, { idToken: false, client: { userinfo_signed_response_alg: "RS256" } })
    const answer = async (key?: Awaited<ReturnType<typeof createSigningKey>>) => {
      const token = await fake.sign({ sub: "subject-1", name: "signed", iss: fake.issuer, aud: "rp" }, {}, key)
      fake.answer("userinfo", () => new Response(token, { headers: { "content-type": "application/jwt" } }))
    }
    await answer(await createSigningKey("key-1"))
    expect((await rejectionOf(complete(provider))).message).toMatch(/signature/)
    await answer()
    expect((await complete(provider)).user.name).toBe("signed")
  })
})

describe("the userinfo endpoint of an OAuth 2.0 provider", () => {
  it.each<[string, () => Response]>([
    ["500 with a profile", () => Response.json({ sub: "1", email: "v@corp.test" }, { status: 500 })],
    ["401 with a profile", () => Response.json({ sub: "1", email: "v@corp.test" }, { status: 401 })],
    ["401 with an error", () => Response.json({ error: "invalid_token" }, { status: 401 })],
    ["200 with an error beside the profile", () => Response.json({ sub: "1", error: "invalid_token" })],
    ["200 with an error object", () => Response.json({ sub: "1", error: { code: 190 } })],
    ["a challenge", () => Response.json({ sub: "1" }, { headers: { "www-authenticate": 'Bearer error="x"' } })],
    ["HTML", () => new Response("<html>")],
    ["a list", () => Response.json([{ sub: "1" }])],
  ])("OAU-38: is rejected with %s", async (_, answer) => {
    const fake = await createFakeProvider()
    fake.answer("userinfo", answer)
    expect(await rejectionOf(complete(oauthProvider(fake)))).toMatchObject({
      type: "CallbackRouteError",
      cause: { provider: "oauth", err: { name: "ProviderError" } },
    })
  })

  it("may use any media type for JSON, and report that there is no error", async () => {
    const fake = await createFakeProvider()
    const headers = { "content-type": "text/html" }
    fake.answer("userinfo", () => new Response('{"id":"7","error":false}', { headers }))
    expect((await complete(oauthProvider(fake))).account.providerAccountId).toBe("7")
  })

  it("is replaced by userinfo.request, whose fetch is protected", async () => {
    const fake = await createFakeProvider()
    const seen: unknown[] = []
    const provider = oauthProvider(fake, {
      userinfo: {
        request: async ({ tokens, provider: given }) => {
          seen.push(tokens.access_token, given.id, given.clientId)
          await given.fetch("https://idp.test/userinfo", {
            headers: { authorization: `Bearer ${tokens.access_token}` },
          })
          fake.answer("other", () => Response.redirect("https://evil.test/"))
          await given.fetch(new URL("https://idp.test/elsewhere"))
          return { id: "never" }
        },
      },
    })
    expect((await rejectionOf(complete(provider))).message).toMatch(/answered a redirect/)
    expect(seen).toEqual([accessToken, "oauth", "rp"])
    const [call] = fake.calls.filter(({ endpoint }) => endpoint === "userinfo")
    expect(call?.headers.get("user-agent")).toBe("latchkey")
    expect(call?.headers.get("accept")).toBe("application/json")
  })

  it("rejects a userinfo.request that returns no object, and keeps the error that it throws", async () => {
    const fake = await createFakeProvider()
    // What plain JavaScript might return.
    const nothing = oauthProvider(fake, { userinfo: { request: () => null as unknown as object } as object })
    expect((await rejectionOf(complete(nothing))).message).toMatch(/must return an object/)
    const thrown = new Error("the host's words")
    const request = () => Promise.reject(thrown)
    expect((await rejectionOf(complete(oauthProvider(fake, { userinfo: { request } })))).cause?.["err"]).toBe(thrown)
  })

  it("LOG-02: keeps a body that is not JSON out of the error of userinfo.request", async () => {
    const fake = await createFakeProvider()
    const request = () => JSON.parse("secret-body")
    const error = await rejectionOf(complete(oauthProvider(fake, { userinfo: { request } })))
    expect(error.message).toBe("The provider's response is not JSON")
  })
})

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

  it("OAU-52: may return a NUL character in fields that are shown, which no database gets", async () => {
    const profile = () => ({ id: "7", name: "A\0da", image: "\0https://x.test/a", role: "ad\0min", email: "a@x.test" })
    expect(await completeWithCallback(profile)).toMatchObject({
      user: { name: "Ada", image: "https://x.test/a", role: "admin", email: "a@x.test" },
    })
  })

  it("OAU-52: may return half of a character in fields that are shown", async () => {
    const profile = () => ({ id: "7", name: "Ada \ud83d", role: "\udc00" })
    expect(await completeWithCallback(profile)).toMatchObject({ user: { name: "Ada \ufffd", role: "\ufffd" } })
  })

  it.each([
    ["id", "a NUL character", "a\0@x.test"],
    ["email", "a NUL character", "a\0@x.test"],
    ["id", "half of a character, which a store would not tell from another", "a\ud83d@x.test"],
    ["email", "half of a character, which a store would not tell from another", "a\ud83d@x.test"],
  ])("OAU-52: fails the sign-in when the %s has %s", async (field, _, text) => {
    const error = await rejectionOf(completeWithCallback(() => ({ id: "7", email: "a@x.test", [field]: text })))
    expect(error.cause?.["err"]).toMatchObject({ message: `The profile's ${field} cannot be stored` })
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

  it("may return a number as the name, which becomes text", async () => {
    expect(await completeWithCallback(() => ({ id: "7", name: 1815 }))).toMatchObject({ user: { name: "1815" } })
  })

  it("may omit the email", async () => {
    const result = (await completeWithCallback(() => ({ id: "7" }))) as { user: User } // The callback's result.
    expect(result.user).not.toHaveProperty("email")
  })
})

describe("defaultProfile", () => {
  it("OAU-39: returns no id for a profile without one", () => {
    expect(defaultProfile({ email: "v@corp.test", name: "n" })).not.toHaveProperty("id")
  })

  it("prefers sub to id, and name to nickname and user name", () => {
    const names = { nickname: "ad", preferred_username: "ada1" }
    expect(defaultProfile({ sub: "s", id: "i", name: "Ada", ...names }).id).toBe("s")
    expect(defaultProfile({ id: "i", name: "Ada", ...names })).toMatchObject({ id: "i", name: "Ada" })
    expect(defaultProfile({ id: "i", ...names }).name).toBe("ad")
    expect(defaultProfile({ id: "i", preferred_username: "ada1" }).name).toBe("ada1")
  })

  it("ignores a picture that is not a string", () => {
    expect(defaultProfile({ sub: "s", picture: "https://idp.test/a.png" }).image).toBe("https://idp.test/a.png")
    expect(defaultProfile({ sub: "s", picture: { data: { url: "x" } } })).not.toHaveProperty("image")
    expect(defaultProfile({ sub: "s" })).not.toHaveProperty("image")
  })
})
