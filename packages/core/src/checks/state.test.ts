import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/setup/failure-of.js"
import { clientBinding, flowSetup, oidc, oldSecret, secret } from "../../test/setup/flow-setup.js"
import { createState, findStateOrigin } from "./state.js"

const now = () => Date.UTC(2030, 0, 1)
const create = (app = "app", own = secret) => createState(app, own, now)

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
    ["the same service", "app", [secret], { isOurs: true, isSameApp: true }],
    ["another host of it", "other", [secret], { isOurs: true, isSameApp: false }],
    ["a former secret", "app", ["x".repeat(40), secret], { isOurs: true, isSameApp: true }],
    ["another secret", "app", [oldSecret], { isOurs: false, isSameApp: false }],
  ])("tells %s", async (_, app, secrets, expected) => {
    const { id, state } = await create()
    expect(await findStateOrigin(state, app, secrets)).toEqual({ id, ...expected })
  })

  it("OAU-02: knows a state with one other character as not ours, or of another app", async () => {
    const { state } = await create()
    for (let n = 0; n < state.length; n++) {
      const other = `${state.slice(0, n)}${state[n] === "0" ? "1" : "0"}${state.slice(n + 1)}`
      const origin = await findStateOrigin(other, "app", [secret])
      expect(origin === null || !origin.isOurs || !origin.isSameApp).toBe(true)
    }
  })

  it.each(["", "x", "eyJhbGciOiJkaXIifQ..a.b.c", "0".repeat(58)])("finds none in %j", async (text) => {
    expect(await findStateOrigin(text, "app", [secret])).toBeNull()
  })
})

describe("a callback whose cookies are lost", () => {
  const messageOf = async (work: Promise<unknown>) => (await failureOf(work)).error.message

  it("tells a process with another secret", async () => {
    const setup = flowSetup()
    const { state } = await setup.begin()
    expect(await messageOf(setup.withSecrets(oldSecret).resume(state))).toMatch(/process of it with another secret/)
  })

  it("tells another host of the service", async () => {
    const setup = flowSetup()
    const { state } = await setup.begin()
    const returning = { provider: oidc, clientBinding: "other", state: state ?? "", jar: flowSetup().browser.jar() }
    expect(await messageOf(setup.flows.resume(returning))).toMatch(/began at another host/)
    const same = { ...returning, clientBinding }
    expect(await messageOf(setup.flows.resume(same))).toMatch(/this browser did not begin the flow/)
  })
})
