import { accountArea } from "@latchkey/core/account-area"
import Passkey from "@latchkey/core/providers/passkey"
import { type Browser, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { address, newPassword, openPasswords } from "../setup/password-setup.js"
import { get, post } from "../setup/requests.js"

/** Ada has a password, Ben has an account without one, and nobody has the third address. */
const ben = "ben@example.com"
const people = [address, ben, "eve@example.com", ` ${address.toUpperCase()} `, " EVE@Example.com "] as const
const token = "0".repeat(64)
const asJson = { headers: { accept: "application/json" } }

type Step = (browser: Browser, email: string) => Promise<unknown>

const forget: Step = (browser, email) => post(browser, "/auth/password/forgot", { email })
const toQuery = (email: string) => `token=${token}&email=${encodeURIComponent(email)}`

const steps: Readonly<Record<string, Step>> = {
  "a sign-in by password": (browser, email) =>
    post(browser, "/auth/callback/password", { email, password: newPassword }),
  "a forgotten password": forget,
  async "a wrong code for a new password"(browser, email) {
    await forget(browser, email)
    for (let guess = 0; guess < 5; guess++) {
      await post(browser, "/auth/password/reset", { code: "none", password: newPassword })
      await post(browser, "/auth/password/reset", { code: "000000", password: newPassword })
    }
  },
  "a link for a new password that was made up": (browser, email) =>
    post(browser, `/auth/password/reset?${toQuery(email)}`, { password: newPassword }),
  "a sign-up": (browser, email) => post(browser, "/auth/password/sign-up", { email, password: newPassword }),
  "a link of a sign-up that was made up": (browser, email) =>
    post(browser, `/auth/password/sign-up?${toQuery(email)}`, { password: newPassword }),
  "a mailed link and code": (browser, email) => post(browser, "/auth/signin/email", { email }),
  async "a wrong mailed code"(browser, email) {
    await post(browser, "/auth/signin/email", { email })
    for (let guess = 0; guess < 5; guess++) await post(browser, "/auth/callback/email", { code: "000000" })
  },
  "a mailed link that was made up": (browser, email) => post(browser, `/auth/callback/email?${toQuery(email)}`),
  "the options of a passkey": (browser, email) =>
    get(browser, `/auth/webauthn-options/passkey?action=authenticate&email=${encodeURIComponent(email)}`),
}

describe.each(Object.entries(steps))("for %s, the store", (_, step) => {
  it("ENUM-07: gets the same calls in the same order, whoever has the address", async () => {
    const others = [testEmail({ code: true }), Passkey({ enableSignUp: false })]
    const { host, adapter, signUp } = openPasswords({ others })
    await signUp()
    await adapter.createUser({ id: "u-ben", email: ben, emailVerified: new Date() })
    const callsFor = async (email: string) => {
      const start = adapter.calls.length
      await step(host.newBrowser(), email)
      return adapter.calls.slice(start).map(({ method }) => method)
    }
    const calls: string[][] = []
    for (const email of people) calls.push(await callsFor(email))
    expect(calls[0]?.length).toBeGreaterThan(0)
    expect(calls[1]).toEqual(calls[0])
    expect(calls[2]).toEqual(calls[0])
    expect(calls[4]).toEqual(calls[3])
  })
})

describe("for a new address of a user, the store", () => {
  it("ENUM-07: gets the same calls in the same order, whoever has the address", async () => {
    const { adapter, signUp } = openPasswords({ accountArea: accountArea() })
    await signUp()
    await adapter.createUser({ id: "u-ben", email: ben, emailVerified: new Date() })
    const calls = []
    for (const [index, email] of [address, ben, "eve@example.com"].entries()) {
      const browser = await signUp(`user${index}@example.com`)
      const start = adapter.calls.length
      await post(browser, "/auth/account/email", { action: "send", email }, asJson)
      calls.push(adapter.calls.slice(start).map(({ method }) => method))
    }
    expect(calls[0]).toContain("createVerificationToken")
    expect(calls[1]).toEqual(calls[0])
    expect(calls[2]).toEqual(calls[0])
  })
})

describe("for a name that the app looks up itself, the store", () => {
  it("ENUM-07: gets the same calls in the same order, whoever has the name", async () => {
    const { host, adapter, signUp } = openPasswords({
      passwords: { find: (typed) => (typed === "ben" ? "u-ben" : null) },
    })
    await signUp()
    await adapter.createUser({ id: "u-ben", email: ben, emailVerified: new Date() })
    const calls = []
    for (const email of ["ben", "eve"]) {
      const start = adapter.calls.length
      await post(host.newBrowser(), "/auth/callback/password", { email, password: newPassword })
      calls.push(adapter.calls.slice(start).map(({ method }) => method))
    }
    expect(calls[0]).toEqual(["getUser", "getPassword"])
    expect(calls[1]).toEqual(calls[0])
  })

  it("ENUM-07: may refuse the made-up id of nobody", async () => {
    const refuse = () => {
      throw new Error("no such type of id")
    }
    const { host } = openPasswords({
      override: { getUser: refuse, getPassword: refuse },
      passwords: { find: () => null },
    })
    const { location } = await post(host.newBrowser(), "/auth/callback/password", {
      email: "eve",
      password: newPassword,
    })
    expect(location).toContain("error=CredentialsSignin")
    expect(host.logger.texts().join()).not.toContain("no such type of id")
  })
})
