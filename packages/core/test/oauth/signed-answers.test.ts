import type { OIDCUserConfig } from "@latchkey/core/types"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { expectRefused, expectRestart, openStage, type StageOptions, sendBack } from "../setup/oauth-stage.js"
import { ask, post } from "../setup/requests.js"

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
  return () => vi.unstubAllEnvs()
})

const modes = ["jwt", "query.jwt", "form_post.jwt"] as const
const openSigned = (response_mode: string = "jwt", own: OIDCUserConfig = {}, options: StageOptions = {}) =>
  openStage({ ...options, provider: (idp) => idp.provider({ authorization: { params: { response_mode } }, ...own }) })

describe("a signed authorization response (JARM)", () => {
  it.each(modes)("signs in with response_mode=%s", async (mode) => {
    const stage = openSigned(mode)
    await expectRestart(stage)
    const [asked] = stage.idp.requests.authorization
    expect(asked?.params.get("response_mode")).toBe(mode)
  })

  it("has only the token in its URL", async () => {
    const back = await sendBack(openSigned())
    expect([...back.searchParams.keys()]).toEqual(["response"])
  })

  it.each(["RS256", "ES256", "PS256", "EdDSA"] as const)(
    "is verified with %s as discovery announces",
    async (signingAlg) => {
      await expectRestart(openSigned("jwt", {}, { idp: { signingAlg } }))
    },
  )

  it("signs in with plain OAuth too, if the issuer is known", async () => {
    await expectRestart(
      openStage({
        provider: (idp) =>
          idp.oauthProvider({
            authorization: {
              url: "https://idp.test/authorize",
              params: { scope: "profile email", response_mode: "jwt" },
            },
          }),
      }),
    )
  })

  it("must use the algorithm that the app is registered with", async () => {
    const stage = openSigned("jwt", { client: { authorization_signed_response_alg: "ES256" } })
    stage.idp.faults.turnOn({
      metadata: (given) => ({ ...given, authorization_signing_alg_values_supported: ["RS256"] }),
    })
    const page = await stage.host.browser.signIn("oidc")
    expect([page.url.pathname, stage.idp.requests.token, stage.idp.requests.jwks]).toEqual(["/auth/error", [], []])
    expect(stage.host.logger.errors).toMatchObject([
      { type: "CallbackRouteError", message: /"RS256" \(expected ES256\)/ },
    ])
  })

  it.each(["none", "HS256"])("is never accepted with %s, even if the app registered it", async (alg) => {
    const stage = openSigned("jwt", { client: { authorization_signed_response_alg: alg } })
    await stage.host.browser.signIn("oidc")
    expect([stage.idp.requests.token, await stage.host.browser.session()]).toEqual([[], null])
  })

  it("may report the provider's error", async () => {
    const stage = openSigned()
    stage.idp.faults.turnOn("access-denied")
    const page = await stage.host.browser.signIn("oidc")
    await expectRefused(stage, page, { type: "OAuthCallbackError", tokenHits: 0, page: "signin" })
  })

  it("OAU-04: is rejected the second time", async () => {
    const stage = openSigned()
    const { browser, logger } = stage.host
    const back = await sendBack(stage)
    const copied = browser.cookies.list()
    await browser.open(back)
    await browser.signOut()
    for (const { name, value } of copied) browser.cookies.set(name, value)
    await browser.open(back)
    expect([logger.errorTypes(), stage.idp.requests.token.length]).toEqual([["InvalidCheck"], 1])
  })

  it("OAU-12: is not read from a form that has it twice", async () => {
    const stage = openSigned("form_post.jwt")
    stage.idp.faults.turnOn("signed-answer-duplicated")
    const page = await stage.host.browser.signIn("oidc")
    expect([page.status, page.url.pathname, stage.idp.requests.token]).toEqual([400, "/auth/callback/oidc", []])
    await expectRestart(stage)
  })

  it("is accepted for this browser's own flow only", async () => {
    const stage = openSigned()
    const back = await sendBack(stage)
    const stranger = stage.host.newBrowser()
    expect((await stranger.open(back)).url.search).toBe("?error=Configuration")
    expect([stage.idp.requests.token, stage.idp.requests.jwks]).toEqual([[], []])
    expect((await stage.host.browser.open(back)).url.pathname).toBe("/in")
  })

  it("is verified after a key rotation of the provider", async () => {
    const stage = openSigned()
    await expectRestart(stage)
    stage.idp.rotateKeys()
    const browser = stage.host.newBrowser()
    await browser.signIn("oidc")
    expect([await browser.session(), stage.idp.requests.jwks.length]).toEqual([expect.anything(), 2])
  })

  it("may have an issuer that the provider's isIssuer accepts", async () => {
    const isIssuer = (issuer: string) => issuer === "https://idp.test/tenant"
    const stage = openSigned("jwt", { isIssuer })
    const ofTenant = { iss: "https://idp.test/tenant" }
    stage.idp.faults.turnOn({
      answerClaims: (given) => ({ ...given, ...ofTenant }),
      idTokenClaims: (given) => ({ ...given, ...ofTenant }),
    })
    await stage.host.browser.signIn("oidc")
    expect(await stage.host.browser.session()).not.toBeNull()
  })

  it("is forwarded unread by a redirect proxy", async () => {
    const stage = openSigned("jwt", { redirectProxyUrl: "https://proxy.test/auth" })
    const { location } = await post(stage.host.browser, "/auth/signin/oidc")
    expect(new URL(location ?? "").searchParams.get("redirect_uri")).toBe("https://proxy.test/auth/callback/oidc")
    const proxy = openStage({
      config: {
        secret: stage.host.config.secret ?? "",
        allowedOrigins: ["https://app.test", "https://proxy.test"],
      },
      provider: () =>
        stage.idp.provider({
          redirectProxyUrl: "https://proxy.test/auth",
          authorization: { params: { response_mode: "jwt" } },
        }),
    })
    const sent = await stage.idp.handler(new Request(location ?? ""))
    const arrived = new URL(sent.headers.get("location") ?? "")
    const passed = await proxy.host.handler(new Request(arrived))
    expect(passed.headers.get("location")).toBe(`https://app.test/auth/callback/oidc${arrived.search}`)
    expect(stage.idp.requests.token).toEqual([])
  })
})

describe("the response mode", () => {
  it.each(["fragment", "fragment.jwt", "web_message", "", 7, "form_post.JWT"])(
    "rejects %j at startup",
    async (response_mode) => {
      const { host } = openStage({ provider: (idp) => idp.provider({ authorization: { params: { response_mode } } }) })
      expect((await ask(host, "/auth/session")).status).toBe(500)
      expect(host.logger.errors).toMatchObject([
        { message: expect.stringContaining("oidc.authorization.params.response_mode") },
      ])
    },
  )

  it("needs an issuer for signed responses", async () => {
    const { host } = openStage({
      provider: (idp) => {
        const authorization = { url: "https://idp.test/authorize", params: { response_mode: "jwt" } }
        const { issuer: _, ...facts } = idp.oauthProvider({ authorization })
        return facts
      },
    })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors).toMatchObject([{ message: expect.stringContaining("need the provider's issuer") }])
  })
})
