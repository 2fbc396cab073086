import { PasswordRefused, setPassword } from "@latchkey/core/passwords"
import { trackSessions } from "@latchkey/core/sessions"
import type { CredentialsConfig } from "@latchkey/core/types"
import { fakeIdentityProvider, fixedClock, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  address,
  isSignedIn,
  newPassword,
  openPasswords,
  password,
  signIn,
  strategies,
} from "../setup/password-setup.js"
import { get, postForm } from "../setup/requests.js"

const path = "/auth/password/change"
const asJson = { headers: { accept: "application/json" } }

/** Signs in the user with an id. */
const nameless = (): CredentialsConfig => ({
  id: "nameless",
  name: "Name",
  type: "credentials",
  credentials: { name: {} },
  authorize: ({ name }) => ({ id: String(name) }),
})

describe.each(strategies)("with %s sessions, a change of the password", (strategy) => {
  it("takes the current one, ends the other sessions, and emails the user", async () => {
    const { host, mails, signUp } = openPasswords({ strategy })
    const other = await signUp()
    const browser = host.newBrowser()
    await signIn(browser)
    await browser.open(path)
    await browser.submit("form", { current: password, password: newPassword })
    expect(browser.page?.find("main")?.text).toContain("Your password was changed")
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false])
    expect(mails.at(-1)?.subject).toBe("Your password at app.test was changed")
    const again = host.newBrowser()
    await signIn(again, newPassword)
    expect(await isSignedIn(again)).toBe(true)
    expect(host.leaks()).toEqual([])
  })

  it("PASS-08: is refused without the current password", async () => {
    const { adapter, signUp } = openPasswords({ strategy })
    const browser = await signUp()
    const before = await adapter.getPassword((await adapter.getUserByEmail(address))?.id ?? "")
    for (const current of [{ current: newPassword }, { current: "" }, {}] as Record<string, string>[]) {
      const answer = await postForm(browser, path, { ...current, password: newPassword }, asJson)
      expect([answer.status, answer.json()]).toMatchObject([400, { error: "CurrentPasswordWrong", field: "current" }])
    }
    expect(await adapter.getPassword(before?.userId ?? "")).toEqual(before)
  })

  it("PASS-08: is refused ten minutes after the sign-in, and when signed out", async () => {
    using clock = fixedClock()
    const { host, adapter, signUp } = openPasswords({ strategy })
    const browser = await signUp()
    const before = await adapter.getPassword((await adapter.getUserByEmail(address))?.id ?? "")
    clock.advance({ minutes: 11 })
    const fields = { current: password, password: newPassword }
    expect((await postForm(browser, path, fields, asJson)).status).toBe(403)
    expect((await postForm(browser, path, fields)).location).toBe(`https://app.test${path}`)
    expect((await get(browser, path)).text).toContain("Please sign in again")
    expect((await postForm(host.newBrowser(), path, fields, asJson)).status).toBe(401)
    expect(await adapter.getPassword(before?.userId ?? "")).toEqual(before)
  })

  it("is possible for a user without an address, whom the app finds by name", async () => {
    const find = (typed: string) => (typed === "nameless" ? "u-1" : null)
    const { host, adapter, mails } = openPasswords({ strategy, passwords: { find } })
    // as: the type has no null, but rows of other apps do.
    await adapter.createUser({ id: "u-1", email: null as never, name: null, emailVerified: null })
    await setPassword(host.config, "u-1", password)
    const browser = host.newBrowser()
    await signIn(browser, password, "nameless")
    const answer = await postForm(browser, path, { current: password, password: newPassword }, asJson)
    expect(answer.status).toBe(200)
    const again = host.newBrowser()
    await signIn(again, newPassword, "nameless")
    expect([await isSignedIn(again), mails]).toEqual([true, []])
  })

  it("sends no code to a user without an address", async () => {
    const { host, adapter } = openPasswords({ strategy, others: [nameless()] })
    await adapter.createUser({ id: "u-1", email: null as never, name: null, emailVerified: null })
    await host.browser.signIn("nameless", { name: "u-1" })
    const answer = await postForm(host.browser, path, { action: "send-code" }, asJson)
    expect([answer.status, answer.json()]).toMatchObject([400, { error: "EmailSignInError" }])
    expect((await get(host.browser, path)).status).toBe(200)
  })

  it("asks for no code that was sent to another user of the browser", async () => {
    const { host } = openPasswords({ strategy, others: [testEmail()] })
    const { browser } = host
    for (const email of ["grace@example.com", address]) {
      await browser.signIn("email", { email })
      await browser.open(host.mailbox.lastLink())
      expect((await get(browser, path, asJson.headers)).json()).toEqual({ step: "add", isFresh: true })
      await postForm(browser, path, { action: "send-code" }, asJson)
      expect((await get(browser, path, asJson.headers)).json()).toEqual({ step: "code", isFresh: true })
      await browser.signOut()
    }
  })

  it("adds a first password with a mailed code and a fresh session", async () => {
    using clock = fixedClock()
    const { host, adapter, lastTo, mails } = openPasswords({ strategy, others: [testEmail()] })
    const { browser } = host
    await browser.signIn("email", { email: address })
    await browser.open(host.mailbox.lastLink())
    const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
    expect((await get(browser, path, asJson.headers)).json()).toEqual({ step: "add", isFresh: true })
    await browser.open(path)
    await browser.submit("form")
    expect(lastTo(address).subject).toBe("Add a password at app.test")
    for (const fields of [{ password: newPassword }, { code: "abc", password: newPassword }])
      expect((await postForm(browser, path, fields, asJson)).status).toBe(400)
    await browser.open(path)
    await browser.submit("form", { code: lastTo(address).code, password })
    expect((await adapter.getPassword(id))?.hash).toMatch(/^\$argon2id/)
    expect(mails.at(-1)?.subject).toBe("A password was added to your account at app.test")
    clock.advance({ minutes: 11 })
    expect((await postForm(browser, path, { action: "send-code" }, asJson)).status).toBe(403)
    const again = host.newBrowser()
    await signIn(again)
    expect(await isSignedIn(again)).toBe(true)
  })
})

describe("a change of the password", () => {
  it("PASS-08: adds no first password with the code of another mailbox", async () => {
    const { host, adapter, lastTo } = openPasswords({ others: [testEmail()] })
    const { browser } = host
    const signInByMail = async (email: string) => {
      await browser.signIn("email", { email })
      await browser.open(host.mailbox.lastLink())
    }
    await signInByMail("eve@example.com")
    await postForm(browser, path, { action: "send-code" }, asJson)
    const { code } = lastTo("eve@example.com")
    await signInByMail(address)
    expect((await postForm(browser, path, { code, password }, asJson)).status).toBe(400)
    expect(await adapter.getPassword((await adapter.getUserByEmail(address))?.id ?? "")).toBeNull()
  })

  it("PASS-08: counts wrong current passwords", async () => {
    const { signUp } = openPasswords({ rateLimit: {}, clientAddress: () => "192.0.2.1" })
    const browser = await signUp()
    const statuses = []
    for (let n = 0; n < 11; n++)
      statuses.push((await postForm(browser, path, { current: newPassword, password: newPassword }, asJson)).status)
    expect(statuses.at(-1)).toBe(429)
  })

  it("refuses the current password as the new one", async () => {
    const { signUp } = openPasswords()
    const answer = await postForm(await signUp(), path, { current: password, password }, asJson)
    expect([answer.status, answer.json()]).toMatchObject([400, { code: "same-as-before", field: "password" }])
  })

  it("leads a visitor who is signed out to the sign-in page, and back", async () => {
    const { host } = openPasswords()
    const answer = await get(host.browser, path)
    expect(answer.location).toContain("/auth/signin?callbackUrl=")
    expect(answer.location).toContain(encodeURIComponent("/auth/password/change"))
  })
})

describe("setPassword", () => {
  it("sets a password for a user without one, and ends all sessions with another", async () => {
    const { host, adapter, signUp } = openPasswords()
    const browser = await signUp()
    const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
    await setPassword(host.config, id, newPassword)
    expect(await isSignedIn(browser)).toBe(false)
    await signIn(browser, newPassword)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it("refuses a password that the options do not allow, and a user who does not exist", async () => {
    const { host, adapter, signUp } = openPasswords()
    await signUp()
    const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
    const before = await adapter.getPassword(id)
    await expect(setPassword(host.config, id, "short")).rejects.toBeInstanceOf(PasswordRefused)
    await expect(setPassword(host.config, "u-unknown", newPassword)).rejects.toThrow(/^userId: there is no user/)
    expect(await adapter.getPassword(id)).toEqual(before)
  })
})

it("PASS-08: does not let an ended session add an account, and is not changed with one", async () => {
  using clock = fixedClock()
  const idp = fakeIdentityProvider()
  const { adapter, signUp } = openPasswords({
    idp,
    others: [idp.provider()],
    session: { strategy: "jwt", track: trackSessions({ checkEvery: 60 }) },
  })
  const browser = await signUp()
  clock.advance({ minutes: 11 })
  expect(await isSignedIn(browser)).toBe(true)
  // Stateless, so that it is believed for another minute.
  await adapter.endSessions({ userId: (await adapter.getUserByEmail(address))?.id ?? "" })
  const { id = "" } = (await adapter.getUserByEmail(address)) ?? {}
  await browser.signIn("oidc")
  expect(await isSignedIn(browser)).toBe(true)
  expect(await adapter.listAccountsByUserId(id)).toEqual([])
  expect((await get(browser, path, asJson.headers)).json()).toEqual({ error: "SignedOut" })
  const before = await adapter.getPassword(id)
  const answer = await postForm(browser, path, { current: password, password: newPassword }, asJson)
  expect([answer.status, answer.json()]).toMatchObject([401, { error: "SignedOut" }])
  expect(await adapter.getPassword(id)).toEqual(before)
})
