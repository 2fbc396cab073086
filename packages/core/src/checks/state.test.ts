import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/setup/failure-of.js"
import {
  clientBinding,
  flowSetup,
  oidc,
  oldSecret,
  redirectUri,
  secret,
  stateCookie,
} from "../../test/setup/flow-setup.js"
import { createState, findStateOrigin } from "./state.js"

const now = () => Date.UTC(2030, 0, 1)
const place = { redirectUri: "https://app.test/auth/callback/oidc", clientBinding: "app" }
const create = () => createState(place, secret, now)

describe("createState", () => {
  it("OAU-56: has at most 64 letters and digits, and 128 random bits", async () => {
    const states = await Promise.all(Array.from({ length: 200 }, async () => (await create()).state))
    for (const state of states) expect(state).toMatch(/^[0-9A-Za-z]{40,64}$/)
    // After the id, 22 characters of 62.
    const random = states.map((state) => state.slice(19, 41))
    expect(new Set(random).size).toBe(states.length)
    expect(22 * Math.log2(62)).toBeGreaterThan(128)
    for (let n = 0; n < 22; n++) expect(new Set(random.map((text) => text[n])).size).toBeGreaterThan(20)
  })

  it("begins with the id of the flow", async () => {
    const { id, state } = await create()
    expect(state.startsWith(id)).toBe(true)
  })
})

describe("findStateOrigin", () => {
  it.each([
    ["the same service", {}, [secret], { isOurs: true, isSameHost: true, isSameApp: true }],
    [
      "another host of it",
      { redirectUri: "https://www.app.test/auth/callback/oidc", clientBinding: "other" },
      [secret],
      { isOurs: true, isSameHost: false, isSameApp: false },
    ],
    ["another client", { clientBinding: "other" }, [secret], { isOurs: true, isSameHost: true, isSameApp: false }],
    ["a former secret", {}, ["x".repeat(40), secret], { isOurs: true, isSameHost: true, isSameApp: true }],
    ["another secret", {}, [oldSecret], { isOurs: false, isSameHost: false, isSameApp: false }],
  ])("tells %s", async (_, other, secrets, expected) => {
    const { id, state } = await create()
    expect(await findStateOrigin(state, { ...place, ...other }, secrets)).toEqual({ id, ...expected })
  })

  it("tells only whether a secret made it without a place to compare", async () => {
    const { id, state } = await create()
    const unknown = { isSameHost: false, isSameApp: false }
    expect(await findStateOrigin(state, null, [secret])).toEqual({ id, isOurs: true, ...unknown })
    expect(await findStateOrigin(state, null, [oldSecret])).toEqual({ id, isOurs: false, ...unknown })
  })

  it("OAU-02: knows a state with one other character as not ours, or of another app", async () => {
    const { state } = await create()
    for (let n = 0; n < state.length; n++) {
      const other = `${state.slice(0, n)}${state[n] === "0" ? "1" : "0"}${state.slice(n + 1)}`
      const origin = await findStateOrigin(other, place, [secret])
      expect(origin === null || !origin.isOurs || !origin.isSameApp).toBe(true)
    }
  })

  it.each(["", "x", "eyJhbGciOiJkaXIifQ..a.b.c", "0".repeat(58)])("finds none in %j", async (text) => {
    expect(await findStateOrigin(text, place, [secret])).toBeNull()
  })
})

describe("a callback whose cookies are lost", () => {
  const causeOf = async (work: Promise<unknown>) => (await failureOf(work)).error.cause
  const messageOf = async (work: Promise<unknown>) => (await failureOf(work)).error.message

  it("tells a process with another secret", async () => {
    const setup = flowSetup()
    const { state } = await setup.begin()
    expect(await messageOf(setup.withSecrets(oldSecret).resume(state))).toMatch(/process of it with another secret/)
    expect(await causeOf(setup.withSecrets(oldSecret).resume(state))).toMatchObject({ reason: "state-other-secret" })
  })

  it("tells another host of the service, and another client", async () => {
    const setup = flowSetup()
    const { state = "" } = await setup.begin()
    setup.advance(4)
    const address = "https://www.app.test/auth/callback/oidc"
    const elsewhere = flowSetup()
    await elsewhere.begin()
    const returning = {
      provider: oidc,
      state,
      jar: elsewhere.browser.jar(),
      redirectUri: address,
      clientBinding: "other",
    }
    expect(await messageOf(setup.flows.resume(returning))).toMatch(/began at another host/)
    expect(await causeOf(setup.flows.resume(returning))).toEqual({
      provider: "oidc",
      reason: "flow-other-host",
      facts: { ageSeconds: 4, otherFlows: 1, host: "www.app.test" },
    })
    const otherClient = await causeOf(setup.flows.resume({ ...returning, redirectUri }))
    expect(otherClient).toMatchObject({ reason: "flow-other-client" })
    const same = { ...returning, redirectUri, clientBinding }
    expect(await messageOf(setup.flows.resume(same))).toMatch(/this browser did not begin the flow/)
    expect(await causeOf(setup.flows.resume(same))).toMatchObject({
      reason: "flow-cookies-missing",
      facts: { ageSeconds: 4, otherFlows: 1 },
    })
  })

  it("tells a flow that took too long", async () => {
    const setup = flowSetup()
    const { state } = await setup.begin()
    setup.advance(1000)
    expect(await causeOf(setup.resume(state))).toMatchObject({
      reason: "flow-expired",
      facts: { ageSeconds: 1000, allowedSeconds: 900 },
    })
  })

  it("tells a flow that later ones pushed out", async () => {
    const setup = flowSetup()
    const { state } = await setup.begin()
    for (let n = 0; n < 5; n++) await setup.begin()
    expect(await causeOf(setup.resume(state))).toMatchObject({ reason: "flow-replaced", facts: { otherFlows: 5 } })
  })

  it("tells a check cookie that was altered, and one of another secret", async () => {
    const setup = flowSetup()
    const { state } = await setup.begin()
    const id = state?.slice(0, 19)
    const jarWith = (value: string) => {
      const { browser } = setup
      browser.keep([{ name: `${stateCookie}.${id}`, value, options: {} }])
      return browser.jar()
    }
    const ask = (value: string) =>
      causeOf(
        setup.flows.resume({ provider: oidc, state: state ?? "", jar: jarWith(value), redirectUri, clientBinding }),
      )
    const sealed = setup.browser.jar().get(`${stateCookie}.${id}`) ?? ""
    expect(await ask(`${sealed.slice(0, -6)}AAAAAA`)).toMatchObject({ reason: "state-altered" })
    const other = await setup.withSecrets(oldSecret).sealer.seal(stateCookie, { value: state }, 900)
    expect(await ask(other)).toMatchObject({ reason: "state-other-secret" })
  })

  it("tells a flow that was completed, and a state that is missing", async () => {
    const setup = flowSetup()
    const { state } = await setup.begin()
    const copied = setup.browser.jar()
    await setup.resume(state)
    const again = { provider: oidc, state: state ?? "", jar: copied, redirectUri, clientBinding }
    expect(await causeOf(setup.flows.resume(again))).toMatchObject({ reason: "flow-completed", isCopied: true })
    expect(await causeOf(setup.resume(null))).toMatchObject({ reason: "state-missing", facts: {} })
  })
})
