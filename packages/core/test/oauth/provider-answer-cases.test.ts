import type { OAuthUserConfig, OIDCUserConfig } from "@latchkey/core/types"
import { type Endpoint, type FaultName, faultNames } from "@latchkey/testkit"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { expectRefused, expectRestart, openStage, type StageOptions, strategies } from "../setup/oauth-stage.js"
import { ask, post } from "../setup/requests.js"
import { expectQuiet } from "../setup/sign-ins.js"

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
  return () => vi.unstubAllEnvs()
})

const openOidc = (overrides: OIDCUserConfig = {}, options: StageOptions = {}) =>
  openStage({ ...options, provider: (idp) => idp.provider(overrides) })
const openOAuth = (overrides: OAuthUserConfig = {}, options: StageOptions = {}) =>
  openStage({ ...options, provider: (idp) => idp.oauthProvider(overrides) })

/** Expects that no cached metadata or keys break the next sign-in. */
const begin = { type: "OAuthSignInError", tokenHits: 0, page: "signin" } as const
const token = { type: "CallbackRouteError", tokenHits: 1, page: "error" } as const

/** The log entry about the provider's response. */
const logged = ({ host }: ReturnType<typeof openStage>) => Object(host.logger.errors[0]).cause.err

describe.each(strategies)("discovery with %s sessions", (strategy) => {
  it.each([
    ["another issuer", { issuer: "https://evil.test" }],
    ["another path", { issuer: "https://idp.test/tenant" }],
    ["no issuer", { issuer: undefined }],
    ["an issuer that is no text", { issuer: ["https://idp.test"] }],
  ])("OAU-36: a document of %s is refused before the visitor is sent anywhere", async (_, change) => {
    const stage = openOidc({}, { strategy })
    stage.idp.faults.turnOn({ metadata: (given) => ({ ...given, ...change }) })
    const page = await stage.host.browser.signIn("oidc")
    expect(stage.idp.requests.authorization).toEqual([])
    await expectRefused(stage, page, begin)
  })

  it.each([
    ["plain http on this machine", "http://127.0.0.1:6379/"],
    ["the metadata of a cloud", "http://169.254.169.254/"],
    ["a file", "file:///etc/passwd"],
    ["a private network", "https://10.0.0.1/"],
    ["a private network in IPv6 clothes", "https://[::ffff:10.0.0.1]/"],
    ["this machine", "https://localhost/token"],
    ["plain http", "http://idp.test/token"],
  ])("OAU-45: a token endpoint at %s is refused, and nothing goes there", async (_, token_endpoint) => {
    const stage = openOidc({}, { strategy })
    stage.idp.faults.turnOn({ metadata: (given) => ({ ...given, token_endpoint }) })
    const page = await stage.host.browser.signIn("oidc")
    expect(stage.idp.requests.authorization).toEqual([])
    await expectRefused(stage, page, begin)
  })
})

describe("addresses that the app wrote", () => {
  it("OAU-45: a private address is asked, since the app said so", async () => {
    const stage = openOAuth({ token: "https://10.0.0.1/token" })
    await stage.host.browser.signIn("oauth")
    expect(stage.idp.requests.elsewhere.map(({ url }) => url.href)).toEqual(["https://10.0.0.1/token"])
  })

  it("OAU-46: plain http is refused at the first use", async () => {
    const stage = openOidc({ issuer: "http://idp.test" }, { idp: { issuer: "http://idp.test" } })
    const page = await stage.host.browser.signIn("oidc")
    expect([page.url.pathname, page.url.search]).toEqual(["/auth/signin", "?error=OAuthSignin"])
    expect(Object.values(stage.idp.requests).flat()).toEqual([])
    expect(stage.host.logger.errors).toMatchObject([{ type: "OAuthSignInError", cause: { provider: "oidc" } }])
    await expectQuiet(stage.host, stage.host.browser, stage.adapter)
  })

  it.each(["authorization", "token", "userinfo"] as const)(
    "OAU-46: a plain http %s endpoint is asked, since the app said so",
    async (name) => {
      const stage = openOAuth({ [name]: `http://idp.test/${name}` })
      await stage.host.browser.signIn("oauth")
      expect([stage.idp.requests.token, await stage.host.browser.session()]).toEqual([[], null])
      expect(stage.host.logger.errors).toHaveLength(1)
    },
  )

  it.each(["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"])(
    "OAU-46: plain http to this machine is allowed: %s",
    async (issuer) => {
      const stage = openOidc({ issuer }, { idp: { issuer } })
      await expectRestart(stage)
    },
  )
})

describe.each(strategies)("the userinfo answer with %s sessions", (strategy) => {
  it.each<FaultName>(["userinfo-sub-wrong", "userinfo-sub-missing"])("OAU-37: %s is refused", async (fault) => {
    const stage = openOidc({ idToken: false }, { strategy })
    stage.idp.faults.turnOn(fault)
    await expectRefused(stage, await stage.host.browser.signIn("oidc"), token)
  })

  it.each([
    [500, { sub: "1", email: "v@corp.test" }],
    [401, { sub: "1", email: "v@corp.test" }],
    [401, { error: "invalid_token" }],
    [200, { error: "invalid_token", sub: "1" }],
    [204, {}],
  ])("OAU-38: a userinfo answer with status %i and %j signs nobody in", async (status, answer) => {
    const stage = openOAuth({}, { strategy })
    stage.idp.faults.turnOn({
      response: (honest, { endpoint }) =>
        endpoint === "userinfo" ? new Response(status === 204 ? null : JSON.stringify(answer), { status }) : honest,
    })
    await expectRefused(stage, await stage.host.browser.signIn("oauth"), token)
  })

  it.each([
    ["no id at all", {}],
    ["an empty id", { sub: "" }],
    ["zero", { sub: 0 }],
    ["null", { sub: null, id: null }],
    ["an object", { sub: { id: "1" } }],
    ["a list", { sub: ["1"] }],
    ["a number that was rounded", { id: 2 ** 60 }],
    ["a text that was none", { id: "undefined" }],
  ])("OAU-39: a profile with %s is refused; nobody is created", async (_, id) => {
    const stage = openOAuth({}, { strategy })
    stage.idp.faults.turnOn({ userinfo: () => ({ email: "v@corp.test", name: "n", ...id }) })
    const page = await stage.host.browser.signIn("oauth")
    await expectRefused(stage, page, { ...token, type: "OAuthProfileParseError" })
  })

  it.each<[string, (profile: object) => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no such field")
      },
    ],
    ["answers null", () => null],
    ["answers an id that is an object", () => ({ id: {} })],
    ["answers no id", () => ({ email: "v@corp.test" })],
    ["answers a name of a megabyte", () => ({ id: "1", name: "n".repeat(1024 * 1024) })],
  ])("OAU-52: a profile callback that %s leaves no user behind", async (_, profile) => {
    const broken = { is: true }
    const stage = openOAuth(
      {
        // Possible in plain JavaScript.
        profile: (given) => (broken.is ? (profile(given) as { id: string }) : { id: String(given.sub), name: "n" }),
      },
      { strategy },
    )
    const page = await stage.host.browser.signIn("oauth")
    expect(stage.host.logger.texts().join().length).toBeLessThan(20_000)
    broken.is = false
    await expectRefused(stage, page, { ...token, type: "OAuthProfileParseError" })
  })
})

describe.each(strategies)("the token answer with %s sessions", (strategy) => {
  it.each<FaultName>([
    "token-html",
    "token-list",
    "token-null",
    "token-empty",
    "access-token-missing",
    "access-token-empty",
    "token-type-unknown",
    "token-type-missing",
    "expires-in-negative",
    "expires-in-infinite",
    "expires-in-text",
    "token-status-created",
    "token-error",
    "token-error-with-status-ok",
  ])("OAU-40: %s is refused, and the log has only provider, status and code", async (fault) => {
    const stage = openOidc({}, { strategy })
    stage.idp.faults.turnOn(fault)
    const page = await stage.host.browser.signIn("oidc")
    const { name, code } = logged(stage)
    expect([name, code]).toEqual(["ProviderError", expect.stringMatching(/./)])
    expect(stage.host.logger.texts().join()).not.toMatch(/<title>|The code is not known/)
    expect(page.text()).not.toMatch(/<title>Sign in<|The code is not known/)
    await expectRefused(stage, page, token)
  })

  it("OAU-40: the log of an error has its status and code", async () => {
    const stage = openOidc({}, { strategy })
    stage.idp.faults.turnOn("token-error")
    await stage.host.browser.signIn("oidc")
    expect(logged(stage)).toMatchObject({ status: 400, error: "invalid_grant" })
  })

  it("OAU-41: BEARER is accepted and stored in lower case", async () => {
    const stage = openOidc({}, { strategy })
    stage.idp.faults.turnOn("token-type-in-upper-case")
    await stage.host.browser.signIn("oidc")
    expect(await stage.host.browser.session()).not.toBeNull()
    const [stored] = stage.adapter.calls.filter(({ method }) => method === "linkAccount").map(({ args }) => args[0])
    expect(stored).toMatchObject({ token_type: "bearer" })
  })
})

const isAt = (word: string) => (name: FaultName) => name.includes(`-${word}`) && !name.startsWith("pushed-")
const beginsAt = (name: FaultName) => (name.startsWith("discovery-") ? begin : token)

describe("answers that cost too much", () => {
  it.each(faultNames().filter(isAt("huge")))("OAU-42: %s: sixty megabytes are cut off at one", async (fault) => {
    const stage = openOidc({ idToken: !fault.startsWith("userinfo") })
    stage.idp.faults.turnOn(fault)
    const page = await stage.host.browser.signIn("oidc")
    expect(logged(stage)).toMatchObject({ code: "too-large" })
    await expectRefused(stage, page, beginsAt(fault))
  })

  it("OAU-42: the app says where", async () => {
    const stage = openOidc({ advanced: { answerLimits: { bytes: 1024 } } })
    stage.idp.faults.turnOn({ tokens: (tokens) => ({ ...tokens, filler: "x".repeat(2048) }) })
    await stage.host.browser.signIn("oidc")
    expect(logged(stage)).toMatchObject({ message: expect.stringContaining("1024 bytes") })
  })

  /** Signs in at a provider with one endpoint that does not respond. Only timers advance. */
  async function signInWaiting(stage: ReturnType<typeof openOidc>, fault: FaultName, seconds: number) {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] })
    try {
      stage.idp.faults.turnOn(fault)
      const asked = stage.idp.requests[fault.split("-")[0] as Endpoint] // A fault's name begins with its endpoint.
      const pending = stage.host.browser.signIn("oidc")
      while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      return await pending
    } finally {
      vi.useRealTimers()
    }
  }

  const silences = faultNames().filter((name) => /-(hangs|trickles)$/.test(name) && !name.startsWith("pushed-"))

  it.each(silences)("OAU-43: %s: the call is given up after ten seconds", async (fault) => {
    const stage = openOidc({ idToken: !fault.startsWith("userinfo") })
    const page = await signInWaiting(stage, fault, 10)
    expect(logged(stage)).toMatchObject({ code: "timed-out" })
    const calls = Object.values(stage.idp.requests).flat()
    expect(calls.filter(({ signal }) => signal.aborted)).toHaveLength(1)
    await expectRefused(stage, page, beginsAt(fault))
  })

  it("OAU-43: a slow answer ends after the time that the app allows", async () => {
    const stage = openOidc({ advanced: { answerLimits: { seconds: 2 } } })
    const page = await signInWaiting(stage, "token-hangs", 2)
    expect(logged(stage)).toMatchObject({ code: "timed-out" })
    await expectRefused(stage, page, token)
  })

  it.each([
    { seconds: 0 },
    { seconds: 61 },
    { seconds: Number.NaN },
    { bytes: 0 },
    { bytes: Number.POSITIVE_INFINITY },
    { bytes: 17 * 1024 * 1024 },
  ])("OAU-43: limits that limit nothing are refused at start: %j", async (answerLimits) => {
    const { host } = openOidc({ advanced: { answerLimits } })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors).toMatchObject([{ message: expect.stringContaining("oidc.advanced.answerLimits.") }])
  })

  it.each(faultNames().filter(isAt("redirects")))("OAU-44: %s: the redirect is not followed", async (fault) => {
    const stage = openOidc({ idToken: !fault.startsWith("userinfo") })
    stage.idp.faults.turnOn(fault)
    const page = await stage.host.browser.signIn("oidc")
    expect(logged(stage)).toMatchObject({ code: "redirected" })
    expect(stage.idp.requests.elsewhere).toEqual([])
    await expectRefused(stage, page, beginsAt(fault))
  })
})

describe("a provider that cannot be reached", () => {
  it("OAU-43: is told apart from one that refuses, and the visitor may try again", async () => {
    const stage = openOAuth({ token: "https://nobody.test/token" })
    await stage.host.browser.signIn("oauth")
    expect(logged(stage)).toMatchObject({ code: "unreachable" })
    const { status } = await post(stage.host.browser, "/auth/signin/oauth")
    expect(status).toBe(302)
  })
})
