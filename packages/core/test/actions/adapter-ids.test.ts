import { signOutEverywhere } from "@latchkey/core/sessions"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { ada, eve, html, openAddresses } from "../setup/account-email-setup.js"
import { ObjectId } from "../setup/class-users.js"
import { isSignedIn, strategies } from "../setup/password-setup.js"
import { get, post, postForm } from "../setup/requests.js"
import { address, give, hasSessionCookie, listOwn, openFactors } from "../setup/second-factor-setup.js"
import { listOf } from "../setup/tracked-setup.js"

const json = { headers: { accept: "application/json" } }

/** The ids of users in rows as a driver of MongoDB returns them. */
function toRow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toRow)
  if (typeof value !== "object" || value === null || value instanceof Date) return value
  const row = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toRow(member)]))
  if ("userId" in row) return { ...row, userId: new ObjectId(String(row["userId"])) }
  return "emailVerified" in row ? { ...row, id: new ObjectId(String(row["id"])) } : row
}

/** What such a driver takes. */
function toText(value: unknown): unknown {
  if (value instanceof ObjectId) return String(value)
  if (typeof value !== "object" || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toText(member)]))
}

type Method = (...values: readonly unknown[]) => unknown

function withObjectIds(stored: MemoryAdapter): MemoryAdapter {
  const methods = Object.entries(stored).map(([name, method]) => [
    name,
    typeof method === "function"
      ? async (...values: readonly unknown[]) => toRow(await (method as Method)(...values.map(toText)))
      : method,
  ])
  return Object.fromEntries(methods)
}

describe.each(strategies)("an adapter whose ids of users are objects, with %s sessions", (strategy) => {
  it("asks for a second factor, spends its codes, and remembers the device", async () => {
    using clock = fixedClock()
    const adapter = withObjectIds(memoryAdapter())
    const options = { strategy, adapter, secondFactor: { remember: { days: 30 } } }
    const { host, enroll, signIn } = await openFactors(options)
    const { app, recoveryCodes } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    expect(hasSessionCookie(browser)).toBe(false)
    await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
    expect((await browser.session())?.user?.email).toBe(address)
    await post(browser, "/auth/signout")
    await signIn(browser)
    expect(hasSessionCookie(browser)).toBe(true)
    const other = await signIn()
    await give(other, recoveryCodes[0] ?? "", "recovery")
    expect((await other.session())?.user?.email).toBe(address)
    expect(await listOwn(other)).toMatchObject([{ kind: "totp" }, { kind: "recovery", codesLeft: 9 }])
    expect(host.logger.errorTypes()).toEqual([])
  })

  it("shows the account area, changes the address, undoes that, and ends other sessions", async () => {
    using clock = fixedClock()
    const stored = memoryAdapter()
    const { signUp, move, linkTo, host } = openAddresses({ strategy, adapter: withObjectIds(stored) })
    const browser = await signUp()
    const other = host.newBrowser()
    await post(other, "/auth/callback/password", { email: ada, password: "correct horse battery" })
    expect(await isSignedIn(other)).toBe(true)
    clock.advance({ minutes: 1 })
    for (const path of ["", "/sessions", "/email", "/delete", "/export", "/password", "/methods"])
      expect([path, (await get(browser, `/auth/account${path}`, html.headers)).status]).toEqual([path, 200])
    expect(await listOf(browser)).toHaveLength(2)
    const ended = await post(browser, "/auth/account/sessions", { action: "end-others" }, json)
    expect([ended.status, ended.text]).toEqual([200, '{"ended":1}'])
    await move(browser, eve)
    await postForm(host.newBrowser(), linkTo(ada), {}, html)
    const user = await stored.getUserByEmail(ada)
    expect(user?.emailVerified).toBeInstanceOf(Date)
    expect(await isSignedIn(browser)).toBe(false)
    expect(host.logger.errorTypes()).toEqual([])
  })

  it("ends all sessions of a user, and deletes the user", async () => {
    const stored = memoryAdapter()
    const { signUp, host } = openAddresses({ strategy, adapter: withObjectIds(stored) })
    const browser = await signUp()
    const user = await stored.getUserByEmail(ada)
    const deleted = await post(browser, "/auth/account/delete", { action: "delete", confirm: ada }, json)
    expect([deleted.status, await stored.getUser(user?.id ?? "")]).toEqual([200, null])
    const again = await signUp()
    const { id = "" } = (await stored.getUserByEmail(ada)) ?? {}
    expect(await signOutEverywhere(host.config, id)).toBe(1)
    expect(await isSignedIn(again)).toBe(false)
    expect(host.logger.errorTypes()).toEqual([])
  })
})
