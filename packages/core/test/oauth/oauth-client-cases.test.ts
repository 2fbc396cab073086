import { type ClientAuthMethod, fakeIdentityProvider, findLeaks, memoryAdapter, type TestHost } from "@latchkey/testkit"
import { type CryptoKey, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from "jose"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { expectRestart, openStage, strategies } from "../setup/oauth-stage.js"
import { ask, post } from "../setup/requests.js"

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
  return () => vi.unstubAllEnvs()
})

const odd = { client_id: "a:b c", client_secret: "p%&+é" } as const

describe("client authentication", () => {
  it("OAU-47: a Basic header has id and secret, each form-encoded", async () => {
    const stage = openStage({ idp: { clients: [odd] } })
    await expectRestart(stage)
    const authorization = stage.idp.requests.token[0]?.headers.get("authorization") ?? ""
    expect(atob(authorization.replace("Basic ", ""))).toBe("a%3Ab+c:p%25%26%2B%C3%A9")
  })

  it.each<ClientAuthMethod>(["client_secret_basic", "client_secret_post", "client_secret_jwt", "none"])(
    "OAU-47: with %s the secret is in no URL and in no log",
    async (token_endpoint_auth_method) => {
      const client = { ...odd, client_secret: "p%&+é p%&+é p%&+é p%&+é p%&+é p%&+é", token_endpoint_auth_method }
      const stage = openStage({ idp: { clients: [client] }, config: { debug: true } })
      await expectRestart(stage)
      const addresses = Object.values(stage.idp.requests).flatMap((all) => all.map(({ url }) => url.href))
      const shown = [...addresses, ...stage.host.answers.map(({ url }) => url), ...stage.host.logger.texts()]
      expect(findLeaks(shown, [{ name: "client secret", value: client.client_secret }])).toEqual([])
    },
  )
})

describe("private_key_jwt", () => {
  const algorithms = ["ES256", "RS256", "PS256", "Ed25519"] as const

  async function openWithKey(alg: (typeof algorithms)[number], issuer?: string) {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k" }] }
    const client = { client_id: "rp", token_endpoint_auth_method: "private_key_jwt", jwks } as const
    const idp = fakeIdentityProvider({ clients: [client], ...(issuer && { issuer }) })
    const provide = (id: string) => idp.provider({ id, token: { clientPrivateKey: { key: privateKey, kid: "k" } } })
    return { idp, provide }
  }

  const assertionsOf = (idp: Awaited<ReturnType<typeof openWithKey>>["idp"]) =>
    idp.requests.token.map(({ params }) => params.get("client_assertion") ?? "")

  it.each(algorithms)("OAU-48: signs in with %s", async (alg) => {
    const { idp, provide } = await openWithKey(alg)
    const { browser } = openHost({ idp, providers: [provide("oidc")] })
    await browser.signIn("oidc")
    expect(await browser.session()).not.toBeNull()
    expect(decodeProtectedHeader(assertionsOf(idp)[0] ?? "")).toEqual({ alg, kid: "k" })
  })

  it("OAU-48: an assertion is for one issuer, short-lived, and unique", async () => {
    const [one, two] = [await openWithKey("ES256"), await openWithKey("ES256", "https://idp2.test")]
    const host = openHost({
      idp: one.idp,
      network: { [two.idp.origin]: two.idp.handler },
      providers: [one.provide("oidc"), two.provide("oidc2")],
    })
    for (const id of ["oidc", "oidc2", "oidc"]) await host.newBrowser().signIn(id)
    const claims = [...assertionsOf(one.idp), ...assertionsOf(two.idp)].map((assertion) => decodeJwt(assertion))
    expect(claims.map(({ aud }) => aud)).toEqual(["https://idp.test", "https://idp.test", "https://idp2.test"])
    for (const { iss, sub, exp = 0, iat = 0 } of claims) {
      expect([iss, sub]).toEqual(["rp", "rp"])
      expect(exp - iat).toBeLessThanOrEqual(60)
    }
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(3)
    for (const { params } of one.idp.requests.token) expect(params.has("client_secret")).toBe(false)
  })

  it.each([
    ["without a key", { token_endpoint_auth_method: "private_key_jwt" }, "token.clientPrivateKey"],
    ["with an unknown method", { token_endpoint_auth_method: "telepathy" }, "client.token_endpoint_auth_method"],
  ])("OAU-48: a provider %s is rejected at startup", async (_, client, option) => {
    const { host } = openStage({ provider: (idp) => idp.provider({ client }) })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors).toMatchObject([
      { type: "InvalidConfiguration", message: expect.stringContaining(`providers.oidc.${option}`) },
    ])
  })

  it("OAU-48: a key that cannot sign fails without being exposed", async () => {
    const { idp } = await openWithKey("ES256")
    const { publicKey } = await generateKeyPair("ES256")
    const key = publicKey as CryptoKey
    const host = openHost({ idp, providers: [idp.provider({ token: { clientPrivateKey: key } })] })
    const page = await host.browser.signIn("oidc")
    expect([page.url.pathname, host.logger.errorTypes()]).toEqual(["/auth/error", ["CallbackRouteError"]])
    expect(idp.requests.token).toEqual([])
  })
})

describe("the code", () => {
  const redirectUri = "https://app.test/auth/callback/oidc"

  it.each(strategies)(
    "OAU-49: is sent once, to the token endpoint, with the redirect_uri of the authorization request (%s)",
    async (strategy) => {
      const stage = openStage({ strategy })
      await expectRestart(stage)
      const [begun] = stage.idp.requests.authorization
      const [request, ...others] = stage.idp.requests.token
      expect([others, request?.url.href, stage.idp.requests.elsewhere]).toEqual([[], "https://idp.test/token", []])
      expect([begun?.params.get("redirect_uri"), request?.params.get("redirect_uri")]).toEqual([
        redirectUri,
        redirectUri,
      ])
      const sent = ["grant_type", "code", "redirect_uri", "code_verifier"]
      expect([...(request?.params.keys() ?? [])].sort()).toEqual([...sent].sort())
      expect(request?.params.get("code")).toBe(stage.idp.issued.find(({ name }) => name === "code")?.value)
    },
  )

  it("OAU-49: is not sent if the app's address has changed since the flow began", async () => {
    const stage = openStage({ config: { allowedOrigins: ["https://app.test", "https://other.test"] } })
    const { location } = await post(stage.host.browser, "/auth/signin/oidc")
    const sent = await stage.idp.handler(new Request(location ?? ""))
    const back = new URL(sent.headers.get("location") ?? "")
    back.host = "other.test"
    const cookie = stage.host.browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const answer = await askAt(stage.host, back, cookie.join("; "))
    expect(answer.headers.get("location")).toBe("https://other.test/auth/error?error=Configuration")
    expect([stage.idp.requests.token, stage.host.logger.errorTypes()]).toEqual([[], ["InvalidCheck"]])
  })

  const askAt = ({ handler }: TestHost, url: URL, cookie: string) => handler(new Request(url, { headers: { cookie } }))
})

describe("the stored tokens", () => {
  it.each(strategies)("OAU-51: have the usual fields and no unknown ones (%s)", async (strategy) => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter, session: { strategy } })
    host.idp.faults.turnOn("tokens-with-strange-members")
    await host.browser.signIn("oidc")
    const [stored] = adapter.calls.filter(({ method }) => method === "linkAccount").map(({ args }) => args[0])
    const fields = ["access_token", "expires_at", "id_token", "refresh_token", "scope", "token_type"]
    const identity = ["provider", "providerAccountId", "type", "userId"]
    expect(Object.keys(Object(stored)).sort()).toEqual([...fields, ...identity].sort())
    expect(stored).toMatchObject({ provider: "oidc", userId: expect.not.stringMatching(/^u-v$/) })
    expect([Reflect.get({}, "polluted"), Reflect.get(Object(stored), "polluted")]).toEqual([undefined, undefined])
  })
})
