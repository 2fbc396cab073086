import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/failure-of.js"
import {
  flowCookies,
  flowIdOf,
  flowSetup,
  nonceCookie,
  oidc,
  oldSecret,
  party,
  secret,
  stateCookie,
  verifierCookie,
} from "../../test/flow-setup.js"
import { keptCookies } from "../../test/kept-cookies.js"
import { toCodeChallenge } from "../crypto/random.js"

const kinds = [stateCookie, verifierCookie, nonceCookie]
const otherProvider = { ...oidc, id: "oidc2" }

describe("resumeFlow: refusals before anything is cleared", () => {
  it("OAU-01: refuses a callback without state", async () => {
    const { begin, resume, browser } = flowSetup()
    await begin()
    const { error, cookies } = await failureOf(resume(null))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    expect(browser.names()).toHaveLength(3)
  })

  it("OAU-02: refuses a state that differs in one character, wherever", async () => {
    const { begin, resume } = flowSetup()
    const { state = "" } = await begin()
    for (let at = 0; at < state.length; at += 7) {
      const other = `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`
      const { error, cookies } = await failureOf(resume(other))
      expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    }
    await resume(state)
  })

  it("OAU-02: refuses any text as state, with an error of its own", async () => {
    const { begin, resume } = flowSetup()
    await begin()
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.base64String()), async (state) => {
        expect((await failureOf(resume(state))).error.type).toBe("InvalidCheck")
      }),
      { numRuns: 300 },
    )
  })

  it("OAU-03: refuses a flow of another provider, its cookies and state included", async () => {
    const { begin, resume } = flowSetup()
    const { state } = await begin(otherProvider)
    const { error, cookies } = await failureOf(resume(state, oidc))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    await resume(state, otherProvider)
  })

  it("CSRF-14, LINK-07: refuses a flow that another browser began, and disturbs none of this one", async () => {
    const setup = flowSetup()
    const attacker = keptCookies()
    const stranger = await setup.flows.begin({
      party,
      provider: oidc,
      callbackUrl: "https://app.test/",
      returnTo: undefined,
      jar: attacker.jar(),
    })
    const own = await setup.begin()
    const { error, cookies } = await failureOf(setup.resume(stranger.state))
    expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    expect(await setup.resume(own.state)).toHaveProperty("callbackUrl")
  })

  it("refuses when the cookies of the flow are those of another tab", async () => {
    const { begin, resume, browser } = flowSetup()
    const [first, second] = [await begin(), await begin()]
    const [own, other] = [flowIdOf(first), flowIdOf(second)]
    for (const name of kinds) browser.set(`${name}.${own}`, browser.get(`${name}.${other}`) ?? "")
    expect((await failureOf(resume(first.state))).error.type).toBe("InvalidCheck")
    await resume(second.state)
  })

  it("OAU-05: refuses a flow that took longer than 15 minutes, and lets the visitor begin anew", async () => {
    const { begin, resume, advance } = flowSetup()
    const { state } = await begin()
    advance(16 * 60)
    const { error } = await failureOf(resume(state))
    expect(error.type).toBe("InvalidCheck")
    const again = await begin()
    advance(15 * 60 - 1)
    await resume(again.state)
  })

  it("MAIL-17: refuses values that were sealed for something else", async () => {
    const { begin, resume, browser, sealer } = flowSetup()
    const started = await begin()
    const flow = flowIdOf(started)
    for (const purpose of ["authjs.session-token", stateCookie, "csrf"]) {
      expect((await failureOf(resume(await sealer.seal(purpose, { flow }, 900)))).error.type).toBe("InvalidCheck")
    }
    // A verifier that stands in the state's place.
    browser.set(`${stateCookie}.${flow}`, browser.get(`${verifierCookie}.${flow}`) ?? "")
    expect((await failureOf(resume(started.state))).error.type).toBe("InvalidCheck")
  })

  it("KEY-04: refuses a flow that was begun with a secret no longer in use", async () => {
    const setup = flowSetup()
    const { state } = await setup.withSecrets(oldSecret).begin()
    expect((await failureOf(setup.withSecrets(secret).resume(state))).error.type).toBe("InvalidCheck")
  })
})

describe("resumeFlow: refusals of a flow that is found", () => {
  it.each([
    ["OAU-07: the verifier", verifierCookie],
    ["OAU-27: the nonce", nonceCookie],
  ])("refuses without the cookie of %s, and clears the others", async (_, missing) => {
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
  ])("refuses a verifier that is %s", async (_, kind) => {
    const { begin, resume, browser } = flowSetup()
    const [first, second] = [await begin(), await begin()]
    const foreign = kind === 1 ? browser.get(`${verifierCookie}.${flowIdOf(second)}`) : "junk"
    browser.set(`${verifierCookie}.${flowIdOf(first)}`, foreign ?? "")
    const { error, cookies } = await failureOf(resume(first.state))
    expect(error.type).toBe("InvalidCheck")
    expect(cookies).toHaveLength(3)
  })

  it("OAU-04: refuses the same callback again, with the same cookies, and clears them", async () => {
    const { begin, flows, browser } = flowSetup()
    const { state = "" } = await begin()
    const copied = browser.jar()
    await flows.resume({ provider: oidc, party, state, jar: copied })
    const { error, cookies } = await failureOf(flows.resume({ provider: oidc, party, state, jar: copied }))
    expect(error.type).toBe("InvalidCheck")
    expect(cookies).toHaveLength(3)
  })

  it("OAU-04: lets one of many parallel callers through", async () => {
    const { begin, flows, browser } = flowSetup()
    const { state = "" } = await begin()
    const jar = browser.jar()
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => flows.resume({ provider: oidc, party, state, jar })),
    )
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })
})

describe("resumeFlow", () => {
  it("brings back what the flow was begun with", async () => {
    const { begin, resume } = flowSetup()
    const started = await begin(oidc, "https://app.test/private?a=b")
    const { expected, callbackUrl } = await resume(started.state)
    expect(callbackUrl).toBe("https://app.test/private?a=b")
    expect(expected.state).toBe(started.state)
    expect(expected.nonce).toBe(started.nonce)
    expect(await toCodeChallenge(expected.codeVerifier ?? "")).toBe(started.codeChallenge)
  })

  it("COOK-18: clears the cookies of this flow and of no other", async () => {
    const { begin, resume, browser } = flowSetup()
    const [first, second] = [await begin(), await begin()]
    browser.set(stateCookie, "an earlier release's")
    const { cookies } = await resume(first.state)
    expect(cookies.map(({ name, value, options }) => [name, value, options.maxAge])).toEqual(
      kinds.map((name) => [`${name}.${flowIdOf(first)}`, "", 0]),
    )
    expect(browser.names()).toEqual([...kinds.map((name) => `${name}.${flowIdOf(second)}`), stateCookie])
  })

  it("OAU-18: clears the cookies of a form post with the attributes that they were set with", async () => {
    const { begin, resume } = flowSetup()
    const formPost = { ...oidc, isFormPost: true }
    const { state } = await begin(formPost)
    const { cookies } = await resume(state, formPost)
    expect(cookies).toHaveLength(3)
    for (const { options } of cookies) expect(options).toMatchObject({ sameSite: "none", secure: true, maxAge: 0 })
  })

  it("OAU-06: completes several tabs in any order, each with its own values", async () => {
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

  it("compares the state where only pkce is asked for, and brings back no nonce", async () => {
    const { begin, resume } = flowSetup()
    const provider = { ...oidc, checks: ["pkce"] } as const
    const { state } = await begin(provider)
    expect((await failureOf(resume(null, provider))).error.type).toBe("InvalidCheck")
    expect(Object.keys((await resume(state, provider)).expected)).toEqual(["state", "codeVerifier"])
  })

  it("OAU-10: looks at nothing with the check none", async () => {
    const { resume, browser } = flowSetup()
    browser.set(stateCookie, "x")
    const resumed = await resume("whatever", { ...oidc, checks: ["none"] })
    expect(resumed).toEqual({ expected: {}, callbackUrl: undefined, cookies: [] })
  })

  it("KEY-04: completes a flow that was begun before the secret was replaced", async () => {
    const setup = flowSetup()
    const { state, nonce } = await setup.withSecrets(oldSecret).begin()
    expect((await setup.withSecrets(secret, oldSecret).resume(state)).expected.nonce).toBe(nonce)
  })
})

describe("resumeFlow: whom the flow is with", () => {
  it("OAU-03: refuses an answer where the provider has another issuer, client or address by now", async () => {
    const { begin, flows, browser } = flowSetup()
    const { state = "" } = await begin()
    const returning = { provider: oidc, party: "another issuer", state, jar: browser.jar() }
    const { error, cookies } = await failureOf(flows.resume(returning))
    expect([error.type, error.cause?.["provider"], cookies]).toEqual(["InvalidCheck", "oidc", undefined])
  })
})

describe("resumeFlow: flows that an earlier release began", () => {
  it.each([[[]], [["nonce"] as const]])(
    "COOK-05: refuses a callback without state to a provider with the checks %j, whatever cookie was planted",
    async (checks) => {
      const { resume, browser } = flowSetup()
      browser.set(verifierCookie, "planted")
      const { error, cookies } = await failureOf(resume(null, { ...oidc, checks }))
      expect([error.type, cookies]).toEqual(["InvalidCheck", undefined])
    },
  )

  /** As the contract has it: plain names, and no flow in the sealed values. */
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

  it("refuses one of another provider", async () => {
    const { resume, state } = await legacyFlow("oidc2")
    expect((await failureOf(resume(state))).error.type).toBe("InvalidCheck")
  })

  it("refuses one without state where the provider's checks list it", async () => {
    const { resume } = await legacyFlow()
    expect((await failureOf(resume(null))).error.type).toBe("InvalidCheck")
  })

  it("does not take its cookies for those of a flow of this release, nor the other way round", async () => {
    const { resume, begin, browser, state } = await legacyFlow()
    const started = await begin()
    const id = flowIdOf(started)
    const own = new Map(kinds.map((name) => [name, browser.get(`${name}.${id}`) ?? ""]))
    for (const name of kinds) browser.set(`${name}.${id}`, browser.get(name) ?? "")
    expect((await failureOf(resume(started.state))).error.type).toBe("InvalidCheck")
    for (const [name, value] of own) browser.set(name, value)
    expect((await failureOf(resume(state))).error.type).toBe("InvalidCheck")
  })

  it("completes it once, with its plain cookies, and says nothing of a callback URL", async () => {
    const { resume, browser, state, flows } = await legacyFlow()
    const copied = browser.jar()
    const { expected, callbackUrl, cookies } = await resume(state)
    expect(expected).toEqual({ state, codeVerifier: "verifier", nonce: "nonce" })
    expect(callbackUrl).toBeUndefined()
    expect(cookies.map(({ name }) => name)).toEqual(kinds)
    expect(browser.names()).toEqual([])
    await failureOf(flows.resume({ provider: oidc, party, state, jar: copied }))
  })

  it("completes one that has a verifier alone, where the checks list no state, once", async () => {
    const { browser, flows } = await legacyFlow()
    const provider = { ...oidc, checks: ["pkce"] } as const
    const copied = browser.jar()
    const { expected } = await flows.resume({ provider, party, state: null, jar: copied })
    expect(expected).toEqual({ codeVerifier: "verifier" })
    expect((await failureOf(flows.resume({ provider, party, state: null, jar: copied }))).error.type).toBe(
      "InvalidCheck",
    )
  })

  it("clears its plain cookies with their own attributes", async () => {
    const { resume, state } = await legacyFlow()
    const { cookies } = await resume(state)
    expect(cookies[0]?.options).toEqual({ ...flowCookies.state.options, maxAge: 0 })
  })
})
