import { createHash } from "node:crypto"
import { recordingLogger } from "@latchkey/testkit"
import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { failureOf } from "../../../test/setup/failure-of.js"
import {
  createFakeProvider,
  type FakeProvider,
  oauthProvider,
  oidcProvider,
} from "../../../test/setup/fake-provider.js"
import { browserCookie, flowCookies, secret } from "../../../test/setup/flow-setup.js"
import { keptCookies } from "../../../test/setup/kept-cookies.js"
import { methodDeps } from "../../../test/setup/method-setup.js"
import { authRequestTo } from "../../../test/setup/requests.js"
import type { OAuthProof } from "../../account/proof.js"
import { createEvents } from "../../host/events.js"
import { createStore } from "../../host/store.js"
import { createAllowedOrigins } from "../../http/origin.js"
import { resolveCookies } from "../../http/own-cookies.js"
import { createLog } from "../../log/log.js"
import type { Adapter } from "../../types/adapter.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import { oauthMethod } from "./oauth.js"
import { oauthSteps } from "./steps.js"

const formPost = { authorization: { params: { response_mode: "form_post" } } }

/** The method with a provider that signs, in a browser that keeps its cookies. */
async function setUp(
  build: (fake: FakeProvider) => ResolvedOAuthProvider = oidcProvider,
  origin = "https://app.test",
  adapter: Adapter | null = null,
) {
  const fake = await createFakeProvider()
  const provider = build(fake)
  const browser = keptCookies()
  const allowedOrigins = createAllowedOrigins(["https://proxy.test", "https://preview.test"])
  const method = oauthSteps(
    methodDeps(
      { secret },
      {
        cookies: { ...resolveCookies(undefined, { isSecure: true }), ...flowCookies },
        allowedOrigins,
        store: adapter && createStore(adapter, createLog(recordingLogger())),
      },
    ),
  )

  async function begin(form: Record<string, string> = {}, query = "") {
    const request = await authRequestTo(`/auth/signin/${provider.id}${query}`, {
      origin,
      form,
      cookie: browser.header(),
    })
    const { redirect = "", cookies } = await method.begin(request, provider)
    browser.keep(cookies)
    const { searchParams } = new URL(redirect)
    const nonce = searchParams.get("nonce") ?? undefined
    fake.answerIdToken(await fake.sign(fake.claims({ nonce })))
    return { redirect, searchParams, state: searchParams.get("state") ?? "", cookies }
  }

  async function comeBack(query: Record<string, string>) {
    const search = new URLSearchParams(query)
    const path = `/auth/callback/${provider.id}`
    const request = provider.isFormPost
      ? await authRequestTo(path, {
          origin,
          form: query,
          cookie: browser.header(),
          headers: { origin: "https://idp.test" },
        })
      : await authRequestTo(`${path}?${search}`, { origin, cookie: browser.header() })
    const outcome = await method.prove(request, provider)
    if ("cookies" in outcome) browser.keep(outcome.cookies)
    return outcome
  }

  return { fake, provider, method, browser, begin, comeBack }
}

async function proofOf(coming: ReturnType<Awaited<ReturnType<typeof setUp>>["comeBack"]>) {
  const outcome = await coming
  if (!("proof" in outcome)) throw new TypeError("it was passed on without a proof")
  return outcome
}

describe("oauthSteps: rejections", () => {
  it("OAU-01: rejects a callback without state, before any request", async () => {
    const { begin, comeBack, fake, browser } = await setUp()
    await begin()
    const asked = fake.calls.length
    const { error, cookies } = await failureOf(comeBack({ code: "c" }))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    expect(fake.calls).toHaveLength(asked)
    expect(browser.names()).toHaveLength(4)
  })

  it("OAU-02: rejects a state that is sent twice, even the right one", async () => {
    const { begin, method, provider, browser, fake } = await setUp()
    const { state } = await begin()
    const path = `/auth/callback/oidc?code=c&state=${state}&state=${state}`
    const request = await authRequestTo(path, { cookie: browser.header() })
    const { error, cookies } = await failureOf(method.prove(request, provider))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    expect(fake.hits("token")).toBe(0)
  })

  it("OAU-07: rejects a callback without the verifier's cookie before the token request", async () => {
    const { begin, comeBack, browser, fake } = await setUp()
    const { state } = await begin()
    const [verifier = ""] = browser.names().filter((name) => name.includes("pkce"))
    browser.keep([{ name: verifier, value: "", options: { maxAge: 0 } }])
    const { error, cookies } = await failureOf(comeBack({ code: "c", state }))
    expect(error.type).toBe("InvalidCheck")
    expect(cookies).toHaveLength(2)
    expect(fake.hits("token")).toBe(0)
  })

  it("OAU-18: ignores the query of a form post", async () => {
    const { begin, method, provider, browser, fake } = await setUp((idp) => oidcProvider(idp, formPost))
    const { state } = await begin()
    const request = await authRequestTo(`/auth/callback/oidc?code=c&state=${state}`, {
      cookie: browser.header(),
      form: {},
    })
    expect((await failureOf(method.prove(request, provider))).error.type).toBe("InvalidCheck")
    expect(fake.hits("token")).toBe(0)
  })

  it("OAU-19: ignores a form if the provider responds by query", async () => {
    const { begin, method, provider, browser, fake } = await setUp()
    const { state } = await begin()
    const request = await authRequestTo("/auth/callback/oidc", { cookie: browser.header(), form: { code: "c", state } })
    expect((await failureOf(method.prove(request, provider))).error.type).toBe("InvalidCheck")
    expect(fake.hits("token")).toBe(0)
    expect(oauthMethod.callbackMethods(provider)).toEqual(["GET"])
  })

  it("COOK-18: clears the check cookies when the provider returns an error", async () => {
    const { begin, comeBack } = await setUp()
    const { state } = await begin()
    const { error, cookies } = await failureOf(comeBack({ error: "access_denied", state }))
    expect(error.type).toBe("OAuthCallbackError")
    expect(cookies?.map(({ value, options }) => [value, options.maxAge])).toEqual(Array(3).fill(["", 0]))
  })

  it("COOK-18: clears the check cookies when the ID token is invalid", async () => {
    const { begin, comeBack, fake } = await setUp()
    const { state } = await begin()
    fake.answerIdToken(await fake.sign(fake.claims({ nonce: "another" })))
    const { error, cookies } = await failureOf(comeBack({ code: "c", state }))
    expect(error).toMatchObject({ type: "CallbackRouteError", cause: { provider: "oidc" } })
    expect(cookies).toHaveLength(3)
  })

  it("OAU-04: rejects a replayed callback, without a request to the provider", async () => {
    const { begin, method, provider, browser, fake } = await setUp()
    const { state } = await begin()
    const request = await authRequestTo(`/auth/callback/oidc?code=c&state=${state}`, { cookie: browser.header() })
    await method.prove(request, provider)
    expect((await failureOf(method.prove(request, provider))).error.type).toBe("InvalidCheck")
    expect(fake.hits("token")).toBe(1)
  })
})

describe("oauthSteps: begin", () => {
  it("redirects to the provider with state, nonce and code challenge", async () => {
    const { begin } = await setUp()
    const { redirect, searchParams } = await begin()
    expect(redirect).toMatch(/^https:\/\/idp\.test\/authorize\?/)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: "code",
      client_id: "rp",
      redirect_uri: "https://app.test/auth/callback/oidc",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.any(String),
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it("passes the form's query to the provider, except callbackUrl", async () => {
    const { begin } = await setUp()
    const { searchParams } = await begin({}, "?prompt=login&callbackUrl=/private&state=mine")
    expect(searchParams.get("prompt")).toBe("login")
    expect(searchParams.has("callbackUrl")).toBe(false)
    expect(searchParams.getAll("state")).not.toContain("mine")
  })
})

describe("oauthSteps: prove", () => {
  it("returns a proof and the callback URL of the flow", async () => {
    const { begin, comeBack, fake, browser } = await setUp()
    const { state, searchParams } = await begin({ callbackUrl: "/private" })
    const { proof, callbackUrl, cookies } = await proofOf(comeBack({ code: "c", state }))
    expect(callbackUrl).toBe("https://app.test/private")
    expect(cookies).toHaveLength(3)
    expect(browser.names()).toEqual([flowCookies.callbackUrl.name, browserCookie])
    expect(proof).toMatchObject({
      account: { provider: "oidc", type: "oidc", providerAccountId: "subject-1", token_type: "bearer" },
      user: { name: "Ada", email: "ada@example.test" },
      profile: { sub: "subject-1" },
      isEmailTrusted: false,
    })
    const [request] = fake.calls.filter(({ endpoint }) => endpoint === "token")
    const verifier = request?.form.get("code_verifier") ?? ""
    expect(createHash("sha256").update(verifier).digest("base64url")).toBe(searchParams.get("code_challenge"))
  })

  it("calls the provider's account callback when tokens are stored, not before", async () => {
    let calls = 0
    const { begin, comeBack } = await setUp((fake) => {
      const account = () => {
        calls++
      }
      return oauthProvider(fake, { account, allowDangerousEmailAccountLinking: true })
    })
    const { state } = await begin()
    const { proof } = await proofOf(comeBack({ code: "c", state }))
    expect(calls).toBe(0)
    expect(proof.isEmailTrusted).toBe(true)
    expect([proof.selectTokens(), calls]).toEqual([undefined, 1])
  })

  it("stores the usual token fields by default", async () => {
    const { begin, comeBack } = await setUp()
    const { state } = await begin()
    const { proof } = await proofOf(comeBack({ code: "c", state }))
    expect(Object.keys(proof.selectTokens() ?? {}).sort()).toEqual([
      "access_token",
      "expires_at",
      "id_token",
      "token_type",
    ])
  })

  it("OAU-18: accepts a cross-site form post", async () => {
    const { begin, comeBack, provider } = await setUp((fake) => oidcProvider(fake, formPost))
    const { state, cookies } = await begin()
    const checks = cookies?.filter(({ name }) => name !== flowCookies.callbackUrl.name) ?? []
    expect(checks).toHaveLength(4)
    for (const { options } of checks) expect(options).toMatchObject({ sameSite: "none", secure: true })
    const user = JSON.stringify({ name: { firstName: "Ada" }, email: "evil@evil.test" })
    const { proof } = await proofOf(comeBack({ code: "c", state, user }))
    expect(proof).toMatchObject({ profile: { user: { name: { firstName: "Ada" } }, email: "Ada@Example.test" } })
    expect([oauthMethod.callbackMethods(provider), oauthMethod.isCallbackOurForm]).toEqual([["POST"], false])
  })
})

describe("oauthSteps: redirect proxy", () => {
  const redirectProxyUrl = "https://proxy.test/auth"
  const proxied = (fake: FakeProvider) => ({ ...oidcProvider(fake), redirectProxyUrl })

  it("sends the proxy's redirect URI, and completes its own flow", async () => {
    const { begin, comeBack } = await setUp(proxied)
    const { searchParams, state } = await begin()
    expect(searchParams.get("redirect_uri")).toBe("https://proxy.test/auth/callback/oidc")
    await proofOf(comeBack({ code: "c", state }))
  })

  it("forwards a callback as the proxy, without completing it or setting a cookie", async () => {
    const preview = await setUp(proxied, "https://preview.test")
    const { state } = await preview.begin()
    const proxy = await setUp(proxied, "https://proxy.test")
    const reply = await proxy.comeBack({ code: "c", state })
    const query = new URLSearchParams({ code: "c", state })
    expect(reply).toEqual({ redirect: `https://preview.test/auth/callback/oidc?${query}` })
    expect(proxy.fake.calls).toEqual([])
  })

  it("HOST-08: forwards no callback to an origin that is not allowed", async () => {
    const foreign = await setUp(proxied, "https://evil.test")
    const { state } = await foreign.begin()
    const proxy = await setUp(proxied, "https://proxy.test")
    const failure = await failureOf(proxy.comeBack({ code: "c", state }))
    expect([failure.error.type, proxy.fake.calls]).toEqual(["UntrustedHost", []])
  })

  it("HOST-07: does not forward a state that it did not issue", async () => {
    const proxy = await setUp(proxied, "https://proxy.test")
    expect((await failureOf(proxy.comeBack({ code: "c", state: "junk" }))).error.type).toBe("InvalidCheck")
  })
})

describe("oauthSteps: the owner of an account", () => {
  async function proveWith(adapter: Adapter | null) {
    const { begin, comeBack, method } = await setUp(oidcProvider, "https://app.test", adapter)
    const { state } = await begin()
    return { method, proof: (await proofOf(comeBack({ code: "c", state }))).proof as OAuthProof }
  }

  it("passes the stored user to the signIn callback, or the provider's user if no account is linked", async () => {
    const stored = memoryAdapter()
    const unlinked = (await proveWith(stored)).proof
    expect([unlinked.candidate, unlinked.accountOwner, unlinked.knownUserId]).toEqual([unlinked.user, null, undefined])
    const vera = await stored.createUser({ id: "vera", email: "vera@corp.test", emailVerified: null })
    await stored.linkAccount({ ...unlinked.account, userId: "vera" })
    const linked = (await proveWith(stored)).proof
    expect([linked.candidate, linked.accountOwner, linked.knownUserId]).toEqual([vera, vera, "vera"])
  })

  it("throws the error of a failing store", async () => {
    const down = { ...memoryAdapter(), getUserByAccount: () => Promise.reject(new Error("down")) }
    expect((await failureOf(proveWith(down))).error.type).toBe("AdapterError")
  })

  it("leaves isNewUser undefined without an adapter", async () => {
    const { method, proof } = await proveWith(null)
    const events = createEvents(undefined, createLog(recordingLogger()))
    const expected = { user: proof.user, isNewUser: undefined, isSignedInAlready: false }
    expect(await method.resolveUser(proof, null, events)).toEqual(expected)
  })
})
