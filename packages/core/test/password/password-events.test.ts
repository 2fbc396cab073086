import { argon2id, importPassword, setPassword } from "@latchkey/core/passwords"
import { testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import {
  address,
  forget,
  newPassword,
  openPasswords,
  type PasswordHost,
  password,
  pathOf,
  signIn,
} from "../setup/password-setup.js"
import { post } from "../setup/requests.js"

const names = ["passwordSet", "passwordChanged", "passwordReset"] as const

/** What the app was told since the last call. */
function takeEvents({ host }: PasswordHost): readonly (readonly [string, unknown])[] {
  const told = names.flatMap((name) => host.events.of(name).map((message) => [name, message] as const))
  host.events.clear()
  return told
}

const idOf = async ({ adapter }: PasswordHost) => (await adapter.getUserByEmail(address))?.id ?? ""

/** A user without a password, who has just signed in. */
async function openWithoutPassword() {
  const opened = openPasswords({ others: [testEmail()] })
  const { browser, mailbox } = opened.host
  await browser.signIn("email", { email: address })
  await browser.open(mailbox.lastLink())
  return opened
}

describe("passwordSet", () => {
  it("is sent for a sign-up by the code", async () => {
    const opened = openPasswords()
    await opened.signUp()
    expect(takeEvents(opened)).toEqual([["passwordSet", { userId: await idOf(opened) }]])
    expect(opened.host.leaks()).toEqual([])
  })

  it("is sent for a sign-up by the link in another browser", async () => {
    const opened = openPasswords()
    await post(opened.host.browser, "/auth/password/sign-up", { email: address, password: newPassword })
    expect(takeEvents(opened)).toEqual([])
    const other = opened.host.newBrowser()
    await other.open(pathOf(opened.lastTo(address).link))
    await other.submit("form", { password })
    expect(takeEvents(opened)).toEqual([["passwordSet", { userId: await idOf(opened) }]])
  })

  it("is sent for a first password on the page of the signed-in user", async () => {
    const opened = await openWithoutPassword()
    await post(opened.host.browser, "/auth/password/change", { action: "send-code" })
    expect(takeEvents(opened)).toEqual([])
    await post(opened.host.browser, "/auth/password/change", { code: opened.lastTo(address).code, password })
    expect(takeEvents(opened)).toEqual([["passwordSet", { userId: await idOf(opened) }]])
  })

  it("is sent by setPassword for a user without a password", async () => {
    const opened = await openWithoutPassword()
    await setPassword(opened.host.config, await idOf(opened), newPassword)
    expect(takeEvents(opened)).toEqual([["passwordSet", { userId: await idOf(opened) }]])
  })

  it("is sent by importPassword, once", async () => {
    const opened = await openWithoutPassword()
    const hash = await argon2id({ memory: 64, passes: 1 }).hash(new TextEncoder().encode(password))
    for (let n = 0; n < 2; n++) await importPassword(opened.host.config, await idOf(opened), hash)
    expect(takeEvents(opened)).toEqual([["passwordSet", { userId: await idOf(opened) }]])
  })
})

describe("passwordChanged", () => {
  it("is sent for a change on the page of the signed-in user, and not for a wrong current password", async () => {
    const opened = openPasswords()
    const browser = await opened.signUp()
    takeEvents(opened)
    await post(browser, "/auth/password/change", { current: newPassword, password: newPassword })
    expect(takeEvents(opened)).toEqual([])
    await post(browser, "/auth/password/change", { current: password, password: newPassword })
    expect(takeEvents(opened)).toEqual([["passwordChanged", { userId: await idOf(opened) }]])
    expect(opened.host.leaks()).toEqual([])
  })

  it("is sent by setPassword for a user with a password", async () => {
    const opened = openPasswords()
    await opened.signUp()
    takeEvents(opened)
    await setPassword(opened.host.config, await idOf(opened), newPassword)
    expect(takeEvents(opened)).toEqual([["passwordChanged", { userId: await idOf(opened) }]])
  })

  it("is not sent for a sign-in that replaces the hash of the same password", async () => {
    const opened = openPasswords()
    await opened.signUp()
    takeEvents(opened)
    const upgraded = openPasswords({
      adapter: opened.adapter,
      passwords: { hash: argon2id({ memory: 72, passes: 1 }) },
    })
    const before = await opened.adapter.getPassword(await idOf(opened))
    await signIn(upgraded.host.browser)
    expect((await opened.adapter.getPassword(await idOf(opened)))?.hash).not.toBe(before?.hash)
    expect(takeEvents(upgraded)).toEqual([])
  })
})

describe("passwordReset", () => {
  it("is sent for a reset by the code", async () => {
    const opened = openPasswords()
    await opened.signUp()
    takeEvents(opened)
    const browser = opened.host.newBrowser()
    await forget(browser)
    expect(takeEvents(opened)).toEqual([])
    await post(browser, "/auth/password/reset", { code: opened.lastTo(address).code, password: newPassword })
    expect(takeEvents(opened)).toEqual([["passwordReset", { userId: await idOf(opened) }]])
    expect(opened.host.leaks()).toEqual([])
  })

  it("is sent for a reset by the link", async () => {
    const opened = openPasswords()
    await opened.signUp()
    await forget(opened.host.newBrowser())
    takeEvents(opened)
    const other = opened.host.newBrowser()
    await other.open(pathOf(opened.lastTo(address).link))
    await other.submit("form", { password: newPassword })
    expect(takeEvents(opened)).toEqual([["passwordReset", { userId: await idOf(opened) }]])
  })
})
