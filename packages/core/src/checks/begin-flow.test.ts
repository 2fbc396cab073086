import { describe, expect, it } from "vitest"
import {
  flowCookies,
  flowIdOf,
  flowSetup,
  nonceCookie,
  oidc,
  party,
  stateCookie,
  verifierCookie,
} from "../../test/flow-setup.js"
import { isFlowId } from "./replay.js"

const kinds = [stateCookie, verifierCookie, nonceCookie]

describe("beginFlow", () => {
  it("gives each flow cookies of its own, and other values each time", async () => {
    const { begin, browser } = flowSetup()
    const first = await begin()
    const second = await begin()
    expect(isFlowId(flowIdOf(first))).toBe(true)
    expect(flowIdOf(second)).not.toBe(flowIdOf(first))
    const names = [first, second].flatMap((flow) => kinds.map((name) => `${name}.${flowIdOf(flow)}`))
    expect(browser.names()).toEqual(names)
    for (const value of ["state", "codeChallenge", "nonce"] as const) expect(first[value]).not.toBe(second[value])
  })

  it("COOK-17: lets every check cookie live for 15 minutes, the nonce included", async () => {
    const { cookies } = await flowSetup().begin()
    expect(cookies).toHaveLength(3)
    for (const { options } of cookies) {
      expect(options).toEqual({ httpOnly: true, sameSite: "lax", path: "/", secure: true, maxAge: 900 })
    }
  })

  it("OAU-18: lets the cookies of a form post cross sites, over https alone", async () => {
    const { cookies } = await flowSetup().begin({ ...oidc, isFormPost: true })
    expect(cookies).toHaveLength(3)
    for (const { options } of cookies) expect(options).toMatchObject({ sameSite: "none", secure: true, httpOnly: true })
  })

  it("leaves a long callback URL to its own cookie, so that browsers keep those of the flow and servers take five", async () => {
    const { begin, resume, browser } = flowSetup()
    const [longest, longer] = [500, 501].map((length) => "https://app.test/".padEnd(length, "a"))
    expect(await resume((await begin(oidc, longest)).state)).toHaveProperty("callbackUrl", longest)
    expect(await resume((await begin(oidc, longer)).state)).toHaveProperty("callbackUrl", undefined)
    for (let tab = 0; tab < 5; tab++) await begin(oidc, longest)
    expect(browser.names()).toHaveLength(15)
    expect(browser.header().length).toBeLessThan(15_000)
  })

  it("shows nothing of what it seals: not in the cookies, not in the state", async () => {
    const { cookies, nonce = "", state = "" } = await flowSetup().begin(oidc, "https://app.test/private")
    const shown = [state, ...cookies.map(({ value }) => value)]
    const parts = shown.flatMap((text) => [
      text,
      ...text.split(".").map((part) => atob(part.replaceAll("-", "+").replaceAll("_", "/"))),
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
  ] as const)("sends a state with the checks %s too", async (checks, expected) => {
    const started = await flowSetup().begin({ ...oidc, checks })
    expect(started.state).toBeTypeOf("string")
    expect(started.cookies.map(({ name }) => name)).toEqual(expected.map((name) => `${name}.${flowIdOf(started)}`))
    expect(started.codeChallenge === undefined).toBe(!checks.some((check) => check === "pkce"))
    expect(started.nonce === undefined).toBe(!checks.some((check) => check === "nonce"))
  })

  it("OAU-10: sends and keeps nothing with the check none", async () => {
    expect(await flowSetup().begin({ ...oidc, checks: ["none"] })).toEqual({ cookies: [] })
  })

  it("keeps five flows; the oldest gives way with all its cookies", async () => {
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
    expect(browser.names()).toHaveLength(15)
    for (const id of ids.slice(-5)) expect(browser.names()).toContain(`${stateCookie}.${id}`)
  })

  it("leaves cookies alone that only look like a flow's", async () => {
    const { begin, browser } = flowSetup()
    for (let n = 0; n < 9; n++) browser.set(`${stateCookie}.mine-${n}`, "x")
    const { cookies } = await begin()
    expect(cookies.filter(({ options }) => options.maxAge === 0)).toEqual([])
  })
})

describe("findReturnAddress", () => {
  it("finds nothing in a state that was not made here", async () => {
    const { flows, sealer } = flowSetup()
    const foreign = await sealer.seal("session", { origin: "https://evil.test" }, 900)
    for (const state of ["", "junk", "a.b.c.d.e", foreign]) expect(await flows.findReturnAddress(state)).toBeNull()
  })

  it("finds the address that the flow was begun with, and null where it was begun without", async () => {
    const { flows, begin, browser } = flowSetup()
    const returnTo = "https://preview.test/auth/callback/oidc"
    const jar = browser.jar()
    const { state = "" } = await flows.begin({ provider: oidc, party, callbackUrl: "https://app.test/", returnTo, jar })
    expect(await flows.findReturnAddress(state)).toBe(returnTo)
    expect(await flows.findReturnAddress((await begin()).state ?? "")).toBeNull()
  })
})
