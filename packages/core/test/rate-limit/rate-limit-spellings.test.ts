import { accountArea } from "@latchkey/core/account-area"
import type { RateLimitStore } from "@latchkey/core/types"
import { testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { address, isSignedIn, newPassword, openPasswords, password, signIn } from "../setup/password-setup.js"
import { isTooMany, only, openLimited, repeat } from "../setup/rate-limit-setup.js"
import { type Answer, post } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

/** Characters that the normalization of a domain drops, and one of case and blanks. Every text is Ada's address. */
const spellings = [
  ...["\u115f", "\u1160", "\u3164", "\uffa0", "\u00ad", "\u200b"].map((dropped) => `ada@exa${dropped}mple.com`),
  ...["\u3002", "\uff0e", "\uff61"].map((dot) => `ada@example${dot}com`),
  " ADA@Example.COM ",
  "ada@\uff45xample.com",
]
/** Another spelling each time. */
const spell = (n: number) =>
  `${spellings[n % spellings.length]}`.replace("@", `@${"\u3164".repeat(Math.floor(n / spellings.length))}`)

/** Sends this many requests, each with another spelling. */
function repeatSpelled(times: number, ask: (email: string) => Promise<Answer>) {
  let n = 0
  return repeat(times, () => ask(spell(n++)))
}

const wrong = "https://app.test/auth/signin?error=CredentialsSignin&code=credentials"
const asJson = { headers: { accept: "application/json" } }

describe("guesses at one password, each with another spelling of the address", () => {
  it("RATE-05: share the budget of the account", async () => {
    const { host, signUp } = openPasswords({ rateLimit: only("failuresPerAccount", 15) })
    await signUp()
    const guess = (email: string) => signIn(host.newBrowser(), newPassword, email)
    expect(await repeatSpelled(40, guess)).toEqual({ passed: 15, refused: 25 })
    expect(isTooMany(await signIn(host.newBrowser()))).toBe(true)
    expect(isTooMany(await signIn(host.newBrowser(), newPassword, "eve@example.com"))).toBe(false)
  })

  it("RATE-05: are told to the user once the password is right", async () => {
    const { host, mails, signUp } = openPasswords({ rateLimit: { budgets: { callback: false } } })
    await signUp()
    const before = mails.length
    await repeatSpelled(12, (email) => signIn(host.newBrowser(), newPassword, email))
    await signIn(host.newBrowser(), password, spell(3))
    expect(mails.slice(before).map(({ to }) => to)).toEqual([address])
  })

  it("RATE-05: know the network of any spelling that signed in before", async () => {
    const { host, signUp } = openPasswords({ rateLimit: only("failuresPerAccount", 3) })
    await signUp()
    const home = () => host.newBrowser({ clientAddress: "203.0.113.1" })
    await signIn(home(), password, spell(0))
    await repeatSpelled(6, (email) => signIn(host.newBrowser(), newPassword, email))
    const browser = home()
    await signIn(browser)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("RATE-05: share the budget when a session re-authenticates", async () => {
    const { host, signUp } = openPasswords({ rateLimit: only("failuresPerAccount", 5), hasSecondFactor: true })
    const browser = await signUp()
    const guess = (email: string) => post(browser, "/auth/confirm/password", { email, password: newPassword }, asJson)
    expect(await repeatSpelled(12, guess)).toEqual({ passed: 5, refused: 7 })
    expect(isTooMany(await signIn(host.newBrowser()))).toBe(true)
  })

  it("RATE-05: share the budget at a credentials provider of the app", async () => {
    const cred = passwordProvider({ credentials: { email: {} }, authorize: () => null })
    const host = openLimited(only("failuresPerAccount", 5), { providers: [cred] })
    const guess = (email: string) => post(host.newBrowser(), "/auth/callback/cred", { email, password: "x" })
    expect(await repeatSpelled(12, guess)).toEqual({ passed: 5, refused: 7 })
  })
})

describe("guesses at the password of a user whom the app finds by other names", () => {
  /** The app ignores what is no digit, which no normalization of ours can know. */
  function openFound(limit: number) {
    const ids: { ada?: string } = {}
    const asked: string[] = []
    const counts = new Map<string, number>()
    const count = (name: string, by: number) => (key: string) => {
      asked.push(`${name} ${key.split(":")[0]}`)
      counts.set(key, (counts.get(key) ?? 0) + by)
      return { used: counts.get(key) ?? 0, msLeft: 1000 }
    }
    const store: RateLimitStore = {
      consume: count("consume", 1),
      refund: count("refund", -1),
      has: (key) => count("has", 0)(key).used > 0,
      forget: (key) => counts.delete(key),
    }
    const opened = openPasswords({
      rateLimit: { ...only("failuresPerAccount", limit), store },
      passwords: { find: (typed) => (typed.replace(/\D/g, "") === "5550199" ? (ids.ada ?? null) : null) },
    })
    const setUp = async () => {
      await opened.signUp()
      ids.ada = (await opened.adapter.getUserByEmail(address))?.id ?? ""
      asked.splice(0)
    }
    return { ...opened, asked, setUp }
  }

  it("RATE-05: count for that user, and are answered like wrong ones once used up", async () => {
    const { host, setUp } = openFound(4)
    await setUp()
    const guess = (typed: string, n: number) => signIn(host.newBrowser(), typed, `5550199${"x".repeat(n)}`)
    for (let n = 0; n < 4; n++) expect((await guess(newPassword, n)).location).toBe(wrong)
    expect((await guess(password, 9)).location).toBe(wrong)
  })

  it("RATE-05: sign in with the right password within the budget", async () => {
    const { host, setUp } = openFound(4)
    await setUp()
    const browser = host.newBrowser()
    await signIn(browser, password, "555-0199 (home)")
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("ENUM-02: use as many counters for a name that nobody has", async () => {
    const { host, asked, setUp } = openFound(4)
    await setUp()
    await signIn(host.newBrowser({ clientAddress: "203.0.113.1" }), newPassword, "5550199")
    const known = asked.splice(0)
    await signIn(host.newBrowser({ clientAddress: "203.0.113.1" }), newPassword, "5550100")
    expect(asked).toEqual(known)
  })
})

describe("emails to one address, each asked for with another spelling", () => {
  it.each([
    ["password/forgot", {}],
    ["password/sign-up", { password: newPassword }],
    ["signin/email", {}],
    ["signin/raw", {}],
  ])("RATE-06: share the budget of the mailbox at %s", async (path, fields) => {
    // An app whose own normalization leaves an address as it was typed.
    const raw = testEmail({ id: "raw", normalizeIdentifier: (text) => text })
    const others = [testEmail(), raw]
    const { host, mails, signUp } = openPasswords({ rateLimit: only("mailsPerAddress", 3), others })
    await signUp()
    const ask = (email: string) => post(host.newBrowser(), `/auth/${path}`, { ...fields, email })
    await repeatSpelled(12, ask)
    expect(mails.length + host.mailbox.messages.length).toBe(3)
  })

  it("RATE-06: share the interval between two emails of a provider", async () => {
    const raw = testEmail({ id: "raw", normalizeIdentifier: (text) => text })
    const { host } = openPasswords({ rateLimit: only("mailRepeats", 1), others: [raw] })
    await repeatSpelled(12, (email) => post(host.newBrowser(), "/auth/signin/raw", { email }))
    expect(host.mailbox.messages).toHaveLength(1)
  })

  it("RATE-06: share the budget of the mailbox when a user moves to it", async () => {
    const { mails, signUp } = openPasswords({ rateLimit: only("mailsPerAddress", 3), accountArea: accountArea() })
    const browser = await signUp("eve@example.com")
    const before = mails.length
    await repeatSpelled(12, (email) => post(browser, "/auth/account/email", { action: "send", email }, asJson))
    expect(mails.length - before).toBe(3)
  })

  it("RATE-05: share the budget of guesses at their codes", async () => {
    const code = testEmail({ code: true })
    const host = openLimited(only("failuresPerAccount", 5), { providers: [code] })
    const guess = async (email: string) => {
      const browser = host.newBrowser()
      await post(browser, "/auth/signin/email", { email })
      return post(browser, "/auth/callback/email", { code: "000000" })
    }
    expect(await repeatSpelled(12, guess)).toEqual({ passed: 5, refused: 7 })
  })
})

describe("a stranger who types the id of a user as a name", () => {
  it.each(["password", "cred"])("RATE-09: uses up no budget of that user (%s)", async (provider) => {
    const cred = passwordProvider({ credentials: { email: {} }, authorize: () => null })
    const { host, adapter, signUp } = openPasswords({
      rateLimit: { budgets: { callback: false, failuresPerNetwork: false } },
      clientAddress: () => "192.0.2.1",
      others: [cred],
    })
    const browser = await signUp()
    const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
    for (const email of [id, `password change ${id}`, JSON.stringify(["user", "password change", id])]) {
      const guess = () => post(host.newBrowser(), `/auth/callback/${provider}`, { email, password: newPassword })
      expect(await repeat(12, guess)).toEqual({ passed: 10, refused: 2 })
    }
    const fields = { current: newPassword, password: newPassword }
    expect((await post(browser, "/auth/password/change", fields, asJson)).status).toBe(400)
    const right = { current: password, password: newPassword }
    expect((await post(browser, "/auth/password/change", right, asJson)).status).toBe(200)
  })

  it("RATE-09: guesses at the sign-in use up no budget of a change, nor the other way round", async () => {
    const { host, signUp } = openPasswords({ rateLimit: only("failuresPerAccount", 3) })
    const browser = await signUp()
    const fields = { current: newPassword, password: newPassword }
    const change = () => post(browser, "/auth/password/change", fields, asJson)
    const guess = () => signIn(host.newBrowser(), newPassword)
    expect(await repeat(5, change)).toEqual({ passed: 3, refused: 2 })
    expect(await repeat(5, guess)).toEqual({ passed: 3, refused: 2 })
  })
})
