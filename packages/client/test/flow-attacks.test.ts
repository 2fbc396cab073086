import { fixedClock } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import {
  createPasswordResetFlow,
  createSecondFactorFlow,
  createSignInFlow,
  createSignUpFlow,
  type PasswordResetFlowStep,
  type SignUpFlowStep,
} from "../src/flows/index.js"
import { address, type FlowHost, newPassword, openFlows, password } from "./flow-setup.js"
import { openPage } from "./page.js"

// What an attacker, or a mistake in an app, tries with the flows. The gate of the service decides; a flow only shows it.

afterEach(() => vi.unstubAllGlobals())

const stranger = "eve@example.com"

/** Replaces the answers of the service by path; undefined leaves one as it is. */
function forge(answers: Readonly<Record<string, unknown>>): void {
  const { fetch } = globalThis
  vi.stubGlobal("fetch", async (target: string, init?: RequestInit) => {
    const { pathname } = new URL(target, "https://app.test")
    const found = Object.entries(answers).find(([path]) => `/auth/${path}` === pathname)
    return found ? Response.json(found[1]) : fetch(target, init)
  })
}

async function send({ host }: FlowHost, path: string, fields?: Record<string, string>): Promise<[number, unknown]> {
  const headers = { accept: "application/json" }
  const token = await (await host.browser.fetch("/auth/csrf", { headers })).json()
  const csrfToken = String(Reflect.get(Object(token), "csrfToken"))
  const form = fields && { method: "POST" as const, body: new URLSearchParams({ ...fields, csrfToken }) }
  const answer = await host.browser.fetch(`/auth/${path}`, { headers, ...form })
  return [answer.status, await answer.json()]
}

const errorOf = ([status, content]: readonly [number, unknown]) => [status, Reflect.get(Object(content), "error")]

async function openHeld(): Promise<{ readonly hosting: FlowHost; readonly flow: ReturnType<typeof openSignIn> }> {
  const hosting = openFlows()
  await hosting.enroll()
  const flow = openSignIn(hosting)
  await flow.at("identifier").submit(address)
  await flow.at("password").submit(password)
  return { hosting, flow }
}

const openSignIn = ({ begin }: FlowHost) => begin((options) => createSignInFlow(options))

describe("a script that skips the second factor", () => {
  it("FLOW-01: gets no session, no key and no recovery codes", async () => {
    using clock = fixedClock()
    const { hosting, flow } = await openHeld()
    clock.advance({ minutes: 1 })
    expect(flow.at("second-factor").kind).toBe("totp")
    expect(await hosting.findUser()).toBeUndefined()
    const [, facts] = await send(hosting, "second-factor")
    expect(facts).toEqual({ step: "second-factor", kinds: ["totp", "recovery"] })
    expect(errorOf(await send(hosting, "second-factor/enroll", { ticket: "x", code: "123456" }))).toEqual([
      401,
      "HeldExpired",
    ])
    expect(errorOf(await send(hosting, "account/factors", { action: "begin-totp" }))).toEqual([401, "SignedOut"])
    expect((await send(hosting, "second-factor/codes"))[0]).toBe(405)
    expect(await hosting.findUser()).toBeUndefined()
  })

  it("FLOW-02: is not shown the end by an answer that says so while the service has no session", async () => {
    const { hosting, flow } = await openHeld()
    forge({ "second-factor/totp": { url: "https://app.test/inbox" } })
    await flow.at("second-factor").submit("123456")
    expect(flow.at("second-factor").step).toBe("second-factor")
    const stays = hosting.begin((options) => createSecondFactorFlow({ ...options, redirect: false }))
    await (await stays.arrive("second-factor")).submit("123456")
    expect(stays.at("second-factor").error).toMatchObject({ code: "access-denied" })
    expect(await hosting.findUser()).toBeUndefined()
  })
})

describe("hostile JSON", () => {
  it.each([
    ["an unknown step", { step: "done", kinds: [] }, "page"],
    ["unknown kinds", { step: "second-factor", kinds: ["__proto__", "sms", 7] }, "page"],
    [
      "a key without an app",
      { step: "enroll", setup: { ticket: "t", secret: "s", uri: "javascript:alert(1)" } },
      "page",
    ],
    ["a key that is none", { step: "enroll", setup: "x" }, "page"],
  ] as const)("FLOW-03: leads to the service's own page with %s", async (_, content, step) => {
    const { hosting } = await openHeld()
    forge({ "second-factor": content })
    const flow = hosting.begin(createSecondFactorFlow)
    await (await flow.arrive(step)).openPage()
    expect(hosting.page.assign.mock.calls.at(-1)).toEqual(["https://app.test/auth/second-factor"])
  })

  it.each([["text"], [null], [7]])("FLOW-03: is an error if it is no object but %j", async (content) => {
    const { hosting } = await openHeld()
    forge({ "second-factor": content })
    const flow = hosting.begin(createSecondFactorFlow)
    await vi.waitFor(() => expect(flow.at("loading").error).toMatchObject({ code: "unavailable" }))
    vi.unstubAllGlobals()
    openPage(hosting.host)
    await flow.at("loading").retry()
    expect(flow.at("second-factor").error).toBeNull()
  })

  it("FLOW-03: gives a QR code as an image, which runs no script, and days that are a number", async () => {
    const { hosting } = await openHeld()
    const qr = `<svg onload="alert(1)"></svg>`
    forge({ "second-factor": { step: "enroll", setup: { ticket: "t", secret: "s", uri: "otpauth://totp/x", qr } } })
    const flow = hosting.begin(createSecondFactorFlow)
    expect((await flow.arrive("enroll")).qr).toBe(`data:image/svg+xml,${encodeURIComponent(qr)}`)
    forge({ "second-factor": { step: "second-factor", kinds: ["totp"], rememberDays: "<b>" } })
    expect((await hosting.begin(createSecondFactorFlow).arrive("second-factor")).rememberDays).toBeNull()
  })

  it("FLOW-03: has no other error than those that the client knows", async () => {
    const { hosting, flow } = await openHeld()
    forge({ "second-factor/totp": { error: "constructor", message: { html: "<b>" }, code: 7 }, error: "nothing" })
    await flow.at("second-factor").submit("123456")
    const message = "That did not work. Try again in a moment."
    expect(flow.at("second-factor").error).toMatchObject({ code: "unavailable", message, reason: undefined })
    expect(hosting.page.assign).not.toHaveBeenCalled()
  })
})

describe("a redirect that an answer names", () => {
  const targets = ["https://evil.test/", "//evil.test", "https://app.test.evil.test/", "https://app.test@evil.test/"]
  it.each(targets)("FLOW-04: is not followed to %s", async (url) => {
    const hosting = openFlows()
    await hosting.signUp()
    const flow = openSignIn(hosting)
    await flow.at("identifier").submit(address)
    await hosting.host.browser.signIn("password", { email: address, password })
    forge({ "callback/password": { url } })
    await flow.at("password").submit(password)
    expect(flow.at("done").url).toBe("https://app.test")
    expect(hosting.page.assign.mock.calls).toEqual([["https://app.test"]])
  })

  it("FLOW-04: is followed to no script, and to the origin that the app itself has named", async () => {
    const hosting = openFlows()
    await hosting.host.browser.signIn("email", { email: address })
    await hosting.host.browser.open(hosting.host.mailbox.lastLink())
    const flow = hosting.begin((options) => createSignInFlow({ ...options, redirectTo: "https://shop.test/cart" }))
    await flow.at("identifier").submit(address)
    forge({ "callback/password": { url: "javascript:alert(1)" } })
    await flow.at("password").submit(password)
    expect(flow.at("password").error).toMatchObject({ code: "unavailable" })
    forge({ "callback/password": { url: "https://shop.test/cart" } })
    await flow.at("password").submit(password)
    expect(hosting.page.assign.mock.calls).toEqual([["https://shop.test/cart"]])
  })
})

describe("another tab", () => {
  it("FLOW-05: that has begun as someone else decides whose second factor is asked for", async () => {
    using clock = fixedClock()
    const hosting = openFlows()
    const { app } = await hosting.enroll()
    const { app: others } = await hosting.enroll(stranger)
    clock.advance({ minutes: 1 })
    const [first, second] = [openSignIn(hosting), openSignIn(hosting)]
    for (const [tab, email] of [
      [first, address],
      [second, stranger],
    ] as const) {
      await tab.at("identifier").submit(email)
      await tab.at("password").submit(password)
    }
    await first.at("second-factor").submit(await app.code())
    expect(first.at("second-factor").error).toMatchObject({ code: "wrong-code" })
    await first.at("second-factor").submit(await others.code())
    expect([first.at("done").session.user?.email, await hosting.findUser()]).toEqual([stranger, stranger])
  })

  it("FLOW-05: that has completed the sign-in leads there, and after a sign-out nowhere", async () => {
    using clock = fixedClock()
    const hosting = openFlows()
    const { app } = await hosting.enroll()
    clock.advance({ minutes: 1 })
    const first = openSignIn(hosting)
    await first.at("identifier").submit(address)
    await first.at("password").submit(password)
    const [second, third] = [hosting.begin(createSecondFactorFlow), hosting.begin(createSecondFactorFlow)]
    const code = await app.code()
    await Promise.all([second, third].map((tab) => tab.arrive("second-factor")))
    await second.at("second-factor").submit(code)
    await first.at("second-factor").submit(code)
    expect([first.at("done").session.user?.email, second.at("done").step]).toEqual([address, "done"])
    await hosting.host.browser.signOut()
    await third.at("second-factor").submit(code)
    expect(third.at("expired").error).toMatchObject({ code: "expired" })
    expect(await hosting.findUser()).toBeUndefined()
  })

  it("FLOW-05: that signs up with another address gets its own code, not this one's", async () => {
    const hosting = openFlows()
    const [first, second] = [hosting.begin(createSignUpFlow), hosting.begin(createSignUpFlow)]
    await first.at("identifier").submit({ email: address, password })
    await second.at("identifier").submit({ email: stranger, password })
    await first.at("code").submit(hosting.codeTo(stranger))
    expect(first.at("code").error).toMatchObject({ code: "wrong-code" })
    await first.at("code").submit(hosting.codeTo(address))
    expect(first.at("done").session.user?.email).toBe(address)
  })
})

describe("an action", () => {
  it("FLOW-06: runs once at a time, and not after its step is over", async () => {
    const hosting = openFlows()
    await hosting.signUp()
    const flow = openSignIn(hosting)
    const first = flow.at("identifier")
    await first.submit(address)
    const step = flow.at("password")
    await Promise.all([step.submit("wrong"), step.submit("wrong"), step.sendCode?.(), step.back()])
    expect(hosting.page.count("POST /auth/callback/password")).toBe(1)
    expect(hosting.page.count("POST /auth/signin/email")).toBe(0)
    await flow.at("password").submit(password)
    const sent = hosting.page.requests.length
    await Promise.all([step.submit(password), step.back(), first.submit(stranger)])
    expect([hosting.page.requests.length, flow.at("done").step]).toEqual([sent, "done"])
  })

  it("FLOW-07: out of order is refused by the service, whatever the tab has kept", async () => {
    const hosting = openFlows()
    const keep = (name: string, step: string) =>
      hosting.storage.set(
        `latchkey ${name} /auth/session`,
        JSON.stringify({ step, identifier: address, at: Date.now() }),
      )
    keep("sign-in", "second-factor")
    const late = openSignIn(hosting)
    await vi.waitFor(() => expect(late.at("identifier").error).toMatchObject({ code: "expired" }))
    keep("sign-in", "code")
    const code = openSignIn(hosting)
    expect((await code.arrive("code")).hasCode).toBe(false)
    await code.at("code").submit("123456")
    expect(code.at("code").error).toMatchObject({ code: "expired" })
    keep("sign-up", "code")
    keep("password-reset", "code")
    for (const create of [createSignUpFlow, createPasswordResetFlow]) {
      const sent = hosting.page.requests.length
      const flow = hosting.begin<SignUpFlowStep | PasswordResetFlowStep>(create)
      await vi.waitFor(() => expect(hosting.page.requests.length).toBeGreaterThan(sent))
      await flow.arrive("identifier")
    }
    expect(errorOf(await send(hosting, "second-factor/totp", { code: "123456" }))).toEqual([401, "HeldExpired"])
    expect(errorOf(await send(hosting, "password/reset", { code: "123456", password: newPassword }))).toEqual([
      400,
      "CodeSpent",
    ])
    expect(await hosting.findUser()).toBeUndefined()
  })
})

it("FLOW-08: the next step is the same for an address with and without an account", async () => {
  const hosting = openFlows()
  await hosting.signUp()
  const seen = new Map<string, string[]>()
  for (const email of [address, stranger]) {
    const steps: string[] = []
    hosting.storage.clear()
    const note = (state: object) => void steps.push(JSON.stringify(state).replaceAll(email, "*"))
    const signIn = openSignIn(hosting)
    await signIn.at("identifier").submit(email)
    note(signIn.state())
    await signIn.at("password").submit("wrong")
    note({ ...signIn.state(), error: { ...signIn.at("password").error, reference: "" } })
    await signIn.at("password").sendCode?.()
    note(signIn.state())
    const signUp = hosting.begin(createSignUpFlow)
    await signUp.at("identifier").submit({ email, password })
    note(signUp.state())
    const reset = hosting.begin(createPasswordResetFlow)
    await reset.at("identifier").submit(email)
    note(reset.state())
    seen.set(email, steps)
  }
  expect(seen.get(stranger)).toEqual(seen.get(address))
})

describe("what a flow keeps over a reload", () => {
  it("FLOW-09: has neither passwords nor codes nor keys, and is forgotten at the end", async () => {
    const hosting = openFlows({ secondFactor: { require: "always" } })
    const kept: string[] = []
    const note = () => void kept.push(...hosting.storage.values())
    const signUp = hosting.begin(createSignUpFlow)
    await signUp.at("identifier").submit({ email: address, password })
    note()
    const code = hosting.codeTo(address)
    await signUp.at("code").submit(code)
    note()
    const { secret } = signUp.at("enroll")
    const signIn = openSignIn(hosting)
    await signIn.at("identifier").submit(address)
    await signIn.at("password").submit("wrong")
    note()
    await signIn.at("password").submit(password)
    note()
    const text = kept.join()
    for (const secretText of [password, code, secret, "wrong"]) expect(text).not.toContain(secretText)
    expect(
      kept
        .map((each) => Object.keys(JSON.parse(each)).sort().join())
        .filter((one) => !/^at,(identifier,)?step$/.test(one)),
    ).toEqual([])
  })

  it.each([
    "{",
    "[]",
    "7",
    `{"step":{}}`,
    `{"step":"password","identifier":7,"at":${Date.now()}}`,
    `{"step":"password"}`,
  ])("FLOW-09: is ignored if it is %s, such as by another script", async (text) => {
    const hosting = openFlows()
    hosting.storage.set("latchkey sign-in /auth/session", text)
    const flow = openSignIn(hosting)
    await vi.waitFor(() => expect(flow.at("identifier").providers).toHaveLength(1))
    expect(flow.at("identifier")).toMatchObject({ identifier: "", error: null })
  })

  it("FLOW-09: is missing where the browser has no storage, and the flow works", async () => {
    const hosting = openFlows()
    await hosting.signUp()
    const refuse = () => {
      throw new DOMException("denied", "SecurityError")
    }
    vi.stubGlobal("sessionStorage", { getItem: refuse, setItem: refuse, removeItem: refuse })
    const flow = openSignIn(hosting)
    await flow.at("identifier").submit(address)
    await flow.at("password").submit(password)
    expect(await hosting.findUser()).toBe(address)
  })
})
