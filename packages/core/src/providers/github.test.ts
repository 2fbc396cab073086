import { describe, expect, it } from "vitest"
import {
  complete,
  createFakeProvider,
  type FakeProvider,
  rejectionOf,
  resolveOAuth,
} from "../../test/setup/fake-provider.js"
import { customFetch } from "../types/basics.js"
import { GitHub, type GitHubOptions } from "./github.js"

const ada = { id: 583231, login: "ada", name: "Ada", email: null, avatar_url: "https://avatars.test/a" }

async function createFakeGitHub(profile: Record<string, unknown> = ada, emails?: unknown): Promise<FakeProvider> {
  const fake = await createFakeProvider("https://github.com")
  fake.answer("other", ({ url }) => {
    const { pathname } = new URL(url)
    if (pathname.endsWith("/access_token"))
      return Response.json({ access_token: "gho_1", token_type: "bearer", scope: "" })
    if (pathname.endsWith("/user/emails")) {
      return emails === undefined ? new Response(null, { status: 404 }) : Response.json(emails)
    }
    return Response.json(profile)
  })
  return fake
}

function provider(fake: FakeProvider, options: GitHubOptions = {}) {
  return resolveOAuth(GitHub({ clientId: "rp", clientSecret: "secret", [customFetch]: fake.fetch, ...options }))
}

const expected = { codeVerifier: "v".repeat(43) }
const query = "code=c"

describe("GitHub", () => {
  it("converts the ID to text, and uses a private address only if it is primary and verified", async () => {
    const emails = [
      { email: "first@corp.test", primary: false, verified: true },
      { email: "Ada@corp.test", primary: true, verified: true },
    ]
    const { user, account } = await complete(provider(await createFakeGitHub(ada, emails)), { query, expected })
    expect(user).toMatchObject({ name: "Ada", email: "ada@corp.test", image: "https://avatars.test/a" })
    expect(account.providerAccountId).toBe("583231")
  })

  it.each([
    ["unverified", [{ email: "v@corp.test", primary: true, verified: false }]],
    ["not primary", [{ email: "v@corp.test", primary: false, verified: true }]],
    ["not granted", undefined],
  ])("ignores an address that is %s", async (_, emails) => {
    const { user } = await complete(provider(await createFakeGitHub(ada, emails)), { query, expected })
    expect(user.email).toBeNull()
  })

  it("does not request the private addresses if one is public", async () => {
    const fake = await createFakeGitHub({ ...ada, name: null, email: "public@corp.test" })
    const { user } = await complete(provider(fake), { query, expected })
    expect(user).toMatchObject({ email: "public@corp.test", name: "ada" })
    expect(fake.calls.map(({ url }) => url)).toEqual([
      "https://github.com/login/oauth/access_token",
      "https://api.github.com/user",
    ])
    expect(fake.calls[1]?.headers.get("user-agent")).toBe("latchkey")
  })

  it("OAU-40: treats a token response with an error and status 200 as an error", async () => {
    const fake = await createFakeGitHub()
    fake.answer("other", () => Response.json({ error: "bad_verification_code", error_description: "The code" }))
    const error = await rejectionOf(complete(provider(fake), { query, expected }))
    expect(error.cause?.["err"]).toMatchObject({ error: "bad_verification_code", status: 400 })
  })

  it.each([
    ["no id", { login: "ada" }],
    ["the id 0", { ...ada, id: 0 }],
  ])("OAU-39: rejects a profile with %s", async (_, profile) => {
    const error = await rejectionOf(complete(provider(await createFakeGitHub(profile)), { query, expected }))
    expect(error).toMatchObject({ type: "OAuthProfileParseError" })
  })

  it("OAU-38: rejects the sign-in if the profile request fails", async () => {
    const fake = await createFakeGitHub()
    const answer = (url: string) => (url.endsWith("/user") ? new Response(null, { status: 403 }) : undefined)
    fake.answer("other", ({ url }) => answer(url) ?? Response.json({ access_token: "a", token_type: "bearer" }))
    expect((await rejectionOf(complete(provider(fake), { query, expected }))).message).toMatch(/status 403/)
  })

  it("OAU-15: accepts GitHub's issuer and no other", async () => {
    const fake = await createFakeGitHub()
    const issuer = encodeURIComponent("https://github.com/login/oauth")
    expect(await complete(provider(fake), { query: `${query}&iss=${issuer}`, expected })).toBeDefined()
    const foreign = await rejectionOf(complete(provider(fake), { query: `${query}&iss=https://evil.test`, expected }))
    expect(foreign).toMatchObject({ type: "CallbackRouteError" })
  })

  it("CONF-04: reports an invalid server URL in the validation instead of throwing", () => {
    const { optionRules } = GitHub({ enterprise: { baseUrl: "github.corp.test" } })
    expect(optionRules?.["enterprise"]?.({ baseUrl: "github.corp.test" })).toMatch(/^baseUrl must be an http\(s\) URL/)
    expect(optionRules?.["enterprise"]?.({ baseUrl: "https://github.corp.test" })).toBeNull()
  })

  it.each([
    ["https://github.corp.test/", "https://github.corp.test/api/v3/user", "https://github.corp.test/login/oauth"],
    ["https://octo.ghe.com", "https://api.octo.ghe.com/user", "https://octo.ghe.com/login/oauth"],
  ])("builds the URLs of the GitHub Enterprise Server at %s", async (baseUrl, userUrl, issuer) => {
    const fake = await createFakeGitHub({ ...ada, email: "a@corp.test" })
    const enterprise = provider(fake, { enterprise: { baseUrl } })
    await complete(enterprise, { query, expected })
    expect(fake.calls.map(({ url }) => url)).toEqual([`${issuer}/access_token`, userUrl])
    expect(enterprise.issuer).toBe(issuer)
  })
})
