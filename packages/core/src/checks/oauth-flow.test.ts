import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import { failureOf } from "../../test/setup/failure-of.js"
import {
  browserCookie,
  clientBinding,
  flowCookies,
  flowIdOf,
  flowSetup,
  nonceCookie,
  oidc,
  oldSecret,
  redirectUri,
  secret,
  stateCookie,
  verifierCookie,
} from "../../test/setup/flow-setup.js"
import { keptCookies } from "../../test/setup/kept-cookies.js"
import { toCodeChallenge } from "../crypto/random.js"
import { isFlowId } from "./replay.js"

const kinds = [stateCookie, verifierCookie, nonceCookie]
const otherProvider = { ...oidc, id: "oidc2" }

describe("beginFlow", () => {
  it("gives each flow its own cookies and new values", async () => {
    const { begin, browser } = flowSetup()
    const first = await begin()
    const second = await begin()
    expect(isFlowId(flowIdOf(first))).toBe(true)
    expect(flowIdOf(second)).not.toBe(flowIdOf(first))
    const [own, others] = [first, second].map((flow) => kinds.map((name) => `${name}.${flowIdOf(flow)}`))
    expect(browser.names()).toEqual([...(own ?? []), browserCookie, ...(others ?? [])])
    for (const value of ["state", "codeChallenge", "nonce"] as const) expect(first[value]).not.toBe(second[value])
  })

  it("COOK-17: sets every check cookie for 15 minutes, including the nonce", async () => {
    const { cookies } = await flowSetup().begin()
    expect(cookies).toHaveLength(4)
    for (const { options } of cookies) {
      expect(options).toEqual({ httpOnly: true, sameSite: "lax", path: "/", secure: true, maxAge: 900 })
    }
  })

  it("OAU-18: sets the cookies of a form post as SameSite=None and Secure", async () => {
    const { cookies } = await flowSetup().begin({ ...oidc, isFormPost: true })
    expect(cookies).toHaveLength(4)
    for (const { options } of cookies) expect(options).toMatchObject({ sameSite: "none", secure: true, httpOnly: true })
  })

  it("seals a callback URL of up to 440 characters, so that browsers and servers accept the cookies of five flows", async () => {
    const { begin, resume, browser } = flowSetup()
    const [longest, longer] = [440, 441].map((length) => "https://app.test/".padEnd(length, "a"))
    expect(await resume((await begin(oidc, longest)).state)).toHaveProperty("callbackUrl", longest)
    expect(await resume((await begin(oidc, longer)).state)).toHaveProperty("callbackUrl", undefined)
    for (let tab = 0; tab < 5; tab++) await begin(oidc, longest, crypto.randomUUID())
    expect(browser.names()).toHaveLength(16)
    expect(browser.header().length).toBeLessThan(15_000)
  })

  it("exposes no sealed value in the cookies or the state", async () => {
    const { cookies, nonce = "", state = "" } = await flowSetup().begin(oidc, "https://app.test/private")
    const shown = [state, ...cookies.map(({ value }) => value)]
    const parts = shown.flatMap((text) => [
      text,
      ...text.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1")),
    ])
    for (const text of parts) {
      expect(text).not.toContain(nonce)
      expect(text).not.toContain("private")
    }
  })

  it.each([
    [["pkce"], [stateCookie, verifierCookie]],
    [["state"], [stateCookie]],
    [["nonce"], [stateCookie, nonceCookie]],
    [
      ["pkce", "nonce"],
      [stateCookie, verifierCookie, nonceCookie],
    ],
  ] as const)("also sends a state with the checks %s", async (checks, expected) => {
    const started = await flowSetup().begin({ ...oidc, checks })
    expect(started.state).toBeTypeOf("string")
    const names = expected.map((name) => `${name}.${flowIdOf(started)}`)
    expect(started.cookies.map(({ name }) => name)).toEqual([...names, browserCookie])
    expect(started.codeChallenge === undefined).toBe(!checks.some((check) => check === "pkce"))
    expect(started.nonce === undefined).toBe(!checks.some((check) => check === "nonce"))
  })

  it("OAU-10: sends and stores nothing with the check none", async () => {
    expect(await flowSetup().begin({ ...oidc, checks: ["none"] })).toEqual({ cookies: [] })
  })

  it("keeps five flows, and clears all cookies of the oldest", async () => {
    const { begin, browser, advance } = flowSetup()
    const ids: string[] = []
    for (let n = 0; n < 8; n++) {
      const started = await begin()
      ids.push(flowIdOf(started))
      const gone = ids.slice(0, -5).at(-1)
      const cleared = started.cookies.filter(({ options }) => options.maxAge === 0)
      expect(cleared.map(({ name }) => name)).toEqual(gone ? kinds.map((name) => `${name}.${gone}`) : [])
      for (const { value, options } of cleared) {
        expect([value, options]).toEqual(["", { ...flowCookies.state.options, maxAge: 0 }])
      }
      advance(60)
    }
    expect(browser.names()).toHaveLength(16)
    for (const id of ids.slice(-5)) expect(browser.names()).toContain(`${stateCookie}.${id}`)
  })

  it("does not clear cookies whose names only resemble a flow's", async () => {
    const { begin, browser } = flowSetup()
    for (let n = 0; n < 9; n++) browser.set(`${stateCookie}.mine-${n}`, "x")
    const { cookies } = await begin()
    expect(cookies.filter(({ options }) => options.maxAge === 0)).toEqual([])
  })
})

describe("resumeFlow: rejected before any cookie is cleared", () => {
  it("OAU-01: rejects a callback without state", async () => {
    const { begin, resume, browser } = flowSetup()
    await begin()
    const { error, cookies } = await failureOf(resume(null))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    expect(browser.names()).toHaveLength(4)
  })

  it("OAU-02: rejects a state that differs in any one character", async () => {
    const { begin, resume } = flowSetup()
    const { state = "" } = await begin()
    for (let at = 0; at < state.length; at += 7) {
      const other = `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`
      const { error, cookies } = await failureOf(resume(other))
      expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    }
    await resume(state)
  })

  it("OAU-02: rejects any text as state with an InvalidCheck", async () => {
    const { begin, resume } = flowSetup()
    await begin()
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: anyCharacter }), fc.base64String()), async (state) => {
        expect((await failureOf(resume(state))).error.type).toBe("InvalidCheck")
      }),
    )
  })

  it("OAU-03: rejects a flow of another provider with that provider's cookies and state", async () => {
    const { begin, resume } = flowSetup()
    const { state } = await begin(otherProvider)
    const { error, cookies } = await failureOf(resume(state, oidc))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    await resume(state, otherProvider)
  })

  it("CSRF-14, LINK-07: rejects a flow that another browser began, and leaves this browser's flow intact", async () => {
    const setup = flowSetup()
    const attacker = keptCookies()
    const stranger = await setup.flows.begin({
      clientBinding,
      redirectUri,
      provider: oidc,
      callbackUrl: "https://app.test/",
      returnTo: undefined,
      initiatorId: null,
      jar: attacker.jar(),
    })
    const own = await setup.begin()
    const { error, cookies } = await failureOf(setup.resume(stranger.state))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    expect(await setup.resume(own.state)).toHaveProperty("callbackUrl")
  })

  it("rejects a flow with the cookies of another tab", async () => {
    const { begin, resume, browser } = flowSetup()
    const [first, second] = [await begin(), await begin()]
    const [own, other] = [flowIdOf(first), flowIdOf(second)]
    for (const name of kinds) browser.set(`${name}.${own}`, browser.get(`${name}.${other}`) ?? "")
    expect((await failureOf(resume(first.state))).error.type).toBe("InvalidCheck")
    await resume(second.state)
  })

  it("OAU-05: rejects a flow that took longer than 15 minutes, and accepts a new one", async () => {
    const { begin, resume, advance } = flowSetup()
    const { state } = await begin()
    advance(16 * 60)
    const { error } = await failureOf(resume(state))
    expect(error.type).toBe("InvalidCheck")
    const again = await begin()
    advance(15 * 60 - 1)
    await resume(again.state)
  })

  it("MAIL-17: rejects values that were sealed for another purpose", async () => {
    const { begin, resume, browser, sealer } = flowSetup()
    const started = await begin()
    const flow = flowIdOf(started)
    for (const purpose of ["authjs.session-token", stateCookie, "csrf"]) {
      expect((await failureOf(resume(await sealer.seal(purpose, { flow }, 900)))).error.type).toBe("InvalidCheck")
    }
    // The sealed verifier in the state cookie.
    browser.set(`${stateCookie}.${flow}`, browser.get(`${verifierCookie}.${flow}`) ?? "")
    expect((await failureOf(resume(started.state))).error.type).toBe("InvalidCheck")
  })

  it("KEY-04: rejects a flow that began with a secret no longer in use", async () => {
    const setup = flowSetup()
    const { state } = await setup.withSecrets(oldSecret).begin()
    expect((await failureOf(setup.withSecrets(secret).resume(state))).error.type).toBe("InvalidCheck")
  })
})

describe("resumeFlow: rejected, with the flow's cookies cleared", () => {
  it.each([
    ["OAU-07: the verifier", verifierCookie],
    ["OAU-27: the nonce", nonceCookie],
  ])("rejects a flow without the cookie of %s, and clears the others", async (_, missing) => {
    const { begin, resume, browser } = flowSetup()
    const started = await begin()
    const id = flowIdOf(started)
    browser.keep([{ name: `${missing}.${id}`, value: "", options: { maxAge: 0 } }])
    const { error, cookies } = await failureOf(resume(started.state))
    expect(error.type).toBe("InvalidCheck")
    const others = kinds.filter((name) => name !== missing)
    expect(cookies?.map(({ name, value }) => [name, value])).toEqual(others.map((name) => [`${name}.${id}`, ""]))
  })

  it.each([
    ["another tab's", 1],
    ["junk", 2],
  ])("rejects a verifier that is %s", async (_, kind) => {
    const { begin, resume, browser } = flowSetup()
    const [first, second] = [await begin(), await begin()]
    const foreign = kind === 1 ? browser.get(`${verifierCookie}.${flowIdOf(second)}`) : "junk"
    browser.set(`${verifierCookie}.${flowIdOf(first)}`, foreign ?? "")
    const { error, cookies } = await failureOf(resume(first.state))
    expect(error.type).toBe("InvalidCheck")
    expect(cookies).toHaveLength(3)
  })

  it("OAU-04: rejects a replayed callback with the same cookies, and clears them", async () => {
    const { begin, flows, browser } = flowSetup()
    const { state = "" } = await begin()
    const copied = browser.jar()
    await flows.resume({ provider: oidc, clientBinding, redirectUri, state, jar: copied })
    const { error, cookies } = await failureOf(
      flows.resume({ provider: oidc, clientBinding, redirectUri, state, jar: copied }),
    )
    expect(error.type).toBe("InvalidCheck")
    expect(cookies).toHaveLength(3)
  })

  it("OAU-04: accepts only one of many parallel callbacks", async () => {
    const { begin, flows, browser } = flowSetup()
    const { state = "" } = await begin()
    const jar = browser.jar()
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => flows.resume({ provider: oidc, clientBinding, redirectUri, state, jar })),
    )
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })
})

describe("resumeFlow", () => {
  it("returns the values that the flow began with", async () => {
    const { begin, resume } = flowSetup()
    const started = await begin(oidc, "https://app.test/private?a=b")
    const { expected, callbackUrl } = await resume(started.state)
    expect(callbackUrl).toBe("https://app.test/private?a=b")
    expect(expected.state).toBe(started.state)
    expect(expected.nonce).toBe(started.nonce)
    expect(await toCodeChallenge(expected.codeVerifier ?? "")).toBe(started.codeChallenge)
  })

  it("COOK-18: clears the cookies of this flow only", async () => {
    const { begin, resume, browser } = flowSetup()
    const [first, second] = [await begin(), await begin()]
    browser.set(stateCookie, "a flow of Auth.js")
    const { cookies } = await resume(first.state)
    expect(cookies.map(({ name, value, options }) => [name, value, options.maxAge])).toEqual(
      kinds.map((name) => [`${name}.${flowIdOf(first)}`, "", 0]),
    )
    const others = kinds.map((name) => `${name}.${flowIdOf(second)}`)
    expect(browser.names()).toEqual([browserCookie, ...others, stateCookie])
  })

  it("OAU-18: clears the cookies of a form post with the attributes they were set with", async () => {
    const { begin, resume } = flowSetup()
    const formPost = { ...oidc, isFormPost: true }
    const { state } = await begin(formPost)
    const { cookies } = await resume(state, formPost)
    expect(cookies).toHaveLength(3)
    for (const { options } of cookies) expect(options).toMatchObject({ sameSite: "none", secure: true, maxAge: 0 })
  })

  it("OAU-06: completes the flows of several tabs in any order, each with its own values", async () => {
    const { begin, resume } = flowSetup()
    const tabs = []
    for (let n = 0; n < 5; n++) tabs.push(await begin(n % 2 ? otherProvider : oidc, `https://app.test/${n}`))
    for (const n of [3, 0, 4, 2, 1]) {
      const { expected, callbackUrl } = await resume(tabs[n]?.state, n % 2 ? otherProvider : oidc)
      expect(callbackUrl).toBe(`https://app.test/${n}`)
      expect(expected.nonce).toBe(tabs[n]?.nonce)
      expect(await toCodeChallenge(expected.codeVerifier ?? "")).toBe(tabs[n]?.codeChallenge)
    }
  })

  it("compares the state when pkce is the only check, and returns no nonce", async () => {
    const { begin, resume } = flowSetup()
    const provider = { ...oidc, checks: ["pkce"] } as const
    const { state } = await begin(provider)
    expect((await failureOf(resume(null, provider))).error.type).toBe("InvalidCheck")
    expect(Object.keys((await resume(state, provider)).expected)).toEqual(["state", "codeVerifier"])
  })

  it("OAU-10: verifies nothing with the check none", async () => {
    const { resume, browser } = flowSetup()
    browser.set(stateCookie, "x")
    const resumed = await resume("anything", { ...oidc, checks: ["none"] })
    expect(resumed).toEqual({ expected: {}, callbackUrl: undefined, initiatorId: undefined, cookies: [] })
  })

  it("KEY-04: completes a flow that began before the secret was replaced", async () => {
    const setup = flowSetup()
    const { state, nonce } = await setup.withSecrets(oldSecret).begin()
    expect((await setup.withSecrets(secret, oldSecret).resume(state)).expected.nonce).toBe(nonce)
  })
})

describe("resumeFlow: client binding", () => {
  it("OAU-03: rejects a flow when the provider's issuer, client or address has changed", async () => {
    const { begin, flows, browser } = flowSetup()
    const { state = "" } = await begin()
    const returning = { provider: oidc, clientBinding: "another issuer", redirectUri, state, jar: browser.jar() }
    const { error, cookies } = await failureOf(flows.resume(returning))
    expect([error.type, error.cause?.["provider"], cookies]).toEqual(["InvalidCheck", "oidc", undefined])
  })
})

describe("resumeFlow: flows that began under Auth.js", () => {
  it.each([[[]], [["nonce"] as const]])(
    "COOK-05: rejects a callback without state for the checks %j, even with a planted cookie",
    async (checks) => {
      const { resume, browser } = flowSetup()
      browser.set(verifierCookie, "planted")
      const { error, cookies } = await failureOf(resume(null, { ...oidc, checks }))
      expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    },
  )

  /** A flow with plain cookie names and no flow id in the sealed values. */
  async function legacyFlow(provider = "oidc") {
    const setup = flowSetup()
    const state = await setup.sealer.seal("encodedState", { random: "r" }, 900)
    const values = [
      [stateCookie, state],
      [verifierCookie, "verifier"],
      [nonceCookie, "nonce"],
    ] as const
    for (const [name, value] of values) setup.browser.set(name, await setup.sealer.seal(name, { value, provider }, 900))
    return { ...setup, state }
  }

  it("rejects one of another provider", async () => {
    const { resume, state } = await legacyFlow("oidc2")
    expect((await failureOf(resume(state))).error.type).toBe("InvalidCheck")
  })

  it("rejects one without state if the provider's checks include it", async () => {
    const { resume } = await legacyFlow()
    expect((await failureOf(resume(null))).error.type).toBe("InvalidCheck")
  })

  it("does not accept its cookies for a flow of ours, nor ours for it", async () => {
    const { resume, begin, browser, state } = await legacyFlow()
    const started = await begin()
    const id = flowIdOf(started)
    const own = new Map(kinds.map((name) => [name, browser.get(`${name}.${id}`) ?? ""]))
    for (const name of kinds) browser.set(`${name}.${id}`, browser.get(name) ?? "")
    expect((await failureOf(resume(started.state))).error.type).toBe("InvalidCheck")
    for (const [name, value] of own) browser.set(name, value)
    expect((await failureOf(resume(state))).error.type).toBe("InvalidCheck")
  })

  it("completes once with its plain cookies, and has no callback URL", async () => {
    const { resume, browser, state, flows } = await legacyFlow()
    const copied = browser.jar()
    const { expected, callbackUrl, initiatorId, cookies } = await resume(state)
    expect(expected).toEqual({ state, codeVerifier: "verifier", nonce: "nonce" })
    expect([callbackUrl, initiatorId]).toEqual([undefined, undefined])
    expect(cookies.map(({ name }) => name)).toEqual(kinds)
    expect(browser.names()).toEqual([])
    await failureOf(flows.resume({ provider: oidc, clientBinding, redirectUri, state, jar: copied }))
  })

  it("completes once with only a verifier, if the checks do not include state", async () => {
    const { browser, flows } = await legacyFlow()
    const provider = { ...oidc, checks: ["pkce"] } as const
    const copied = browser.jar()
    const { expected } = await flows.resume({ provider, clientBinding, redirectUri, state: null, jar: copied })
    expect(expected).toEqual({ codeVerifier: "verifier" })
    expect(
      (await failureOf(flows.resume({ provider, clientBinding, redirectUri, state: null, jar: copied }))).error.type,
    ).toBe("InvalidCheck")
  })

  it("clears its plain cookies with the configured attributes", async () => {
    const { resume, state } = await legacyFlow()
    const { cookies } = await resume(state)
    expect(cookies[0]?.options).toEqual({ ...flowCookies.state.options, maxAge: 0 })
  })
})

describe("findReturnAddress", () => {
  it("returns null for a state that was not sealed here", async () => {
    const { flows, sealer } = flowSetup()
    const foreign = await sealer.seal("session", { origin: "https://evil.test" }, 900)
    for (const state of ["", "junk", "a.b.c.d.e", foreign]) expect(await flows.findReturnAddress(state)).toBeNull()
  })

  it("returns the address that the flow began with, or null if it had none", async () => {
    const { flows, begin, browser } = flowSetup()
    const returnTo = "https://preview.test/auth/callback/oidc"
    const jar = browser.jar()
    const { state = "" } = await flows.begin({
      provider: oidc,
      clientBinding,
      redirectUri,
      callbackUrl: "https://app.test/",
      returnTo,
      initiatorId: null,
      jar,
    })
    expect(await flows.findReturnAddress(state)).toBe(returnTo)
    expect(await flows.findReturnAddress((await begin()).state ?? "")).toBeNull()
  })
})
