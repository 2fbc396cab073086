import type { AdapterFactor } from "@latchkey/core/adapters"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { ada, html, moved, openAddresses } from "../setup/account-email-setup.js"
import { isSignedIn, strategies } from "../setup/password-setup.js"
import { get, post, postForm } from "../setup/requests.js"
import { listOwn, openFactors } from "../setup/second-factor-setup.js"
import { listOf } from "../setup/tracked-setup.js"

type Method = (...values: readonly unknown[]) => unknown

/** Rows whose dates are as some drivers return them. */
function change(value: unknown, toDriver: (date: Date) => unknown): unknown {
  if (value instanceof Date) return toDriver(value)
  if (Array.isArray(value)) return value.map((each) => change(each, toDriver))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, toDriver)]))
}

const methods = [
  "listSessionsByUserId",
  "listFactors",
  "getAccountChange",
  "listAccountChanges",
  "getPassword",
  "listAuthenticatorsByUserId",
] as const

/** Methods of an adapter, with other values for the dates that they return. */
function changed(adapter: MemoryAdapter, names: readonly (keyof MemoryAdapter)[], toDriver: (date: Date) => unknown) {
  return Object.fromEntries(
    names.map((name) => [
      name,
      async (...values: readonly unknown[]) => change(await (adapter[name] as Method)(...values), toDriver),
    ]),
  )
}

function withDates(toDriver: (date: Date) => unknown) {
  const adapter = memoryAdapter()
  return { adapter, override: changed(adapter, methods, toDriver) }
}

const drivers: readonly (readonly [string, (date: Date) => unknown])[] = [
  ["text", (date) => date.toISOString()],
  ["text without a time zone", (date) => date.toISOString().replace("T", " ").replace("Z", "")],
  ["numbers", (date) => date.valueOf()],
]

describe.each(strategies)(
  "an adapter that returns other values for the dates of features, with %s sessions",
  (strategy) => {
    it.each(drivers)("ADP-11: shows the account area, and ends other sessions: %s", async (_, toDriver) => {
      using clock = fixedClock()
      const { signUp, host } = openAddresses({ strategy, ...withDates(toDriver) })
      const browser = await signUp()
      const other = host.newBrowser()
      await post(other, "/auth/callback/password", { email: ada, password: "correct horse battery" })
      expect(await isSignedIn(other)).toBe(true)
      clock.advance({ minutes: 1 })
      for (const path of ["", "/sessions", "/email", "/delete", "/export", "/password", "/methods"]) {
        const page = await get(browser, `/auth/account${path}`, html.headers)
        expect([path, page.status, host.logger.errors.map(String)]).toEqual([path, 200, []])
      }
      const listed = await listOf(browser)
      expect(listed.map(({ createdAt }) => createdAt)).toEqual(
        listed.map(({ createdAt }) => new Date(createdAt).toISOString()),
      )
      const ended = await post(
        browser,
        "/auth/account/sessions",
        { action: "end-others" },
        { headers: { accept: "application/json" } },
      )
      expect([ended.status, ended.text]).toEqual([200, '{"ended":1}'])
    })
  },
)

it.each(drivers)("restores an address as a verified one: %s", async (_, toDriver) => {
  const adapter = memoryAdapter()
  const names = ["getUser", "getUserByEmail", "getSessionAndUser"] as const
  const override = changed(adapter, names, toDriver)
  const { signUp, move, linkTo, host } = openAddresses({ strategy: "database", adapter, override })
  await move(await signUp(), moved)
  await postForm(host.newBrowser(), linkTo(ada), {}, html)
  expect((await adapter.getUserByEmail(ada))?.emailVerified).toBeInstanceOf(Date)
})

it.each(drivers)("ADP-11: lists second factors with dates, the oldest first: %s", async (_, toDriver) => {
  using clock = fixedClock()
  const adapter = memoryAdapter()
  // as: rows, with other values for dates.
  const listFactors = async (userId: string) =>
    change((await adapter.listFactors(userId)).toReversed(), toDriver) as AdapterFactor[]
  const { enroll } = await openFactors({ adapter: { ...adapter, listFactors } })
  const { browser } = await enroll()
  const [first] = await adapter.listFactors("u-ada")
  if (!first) throw new Error("No factor was set up")
  clock.advance({ minutes: 1 })
  await adapter.createFactor({ ...first, id: "later", kind: "totp", label: null, createdAt: new Date() })
  // Recovery codes always come last in the list.
  const apps = (await listOwn(browser)).filter(({ kind }) => kind === "totp")
  const times = apps.map(({ createdAt }) => createdAt)
  expect(times).toHaveLength(2)
  expect(times).toEqual(times.map((time) => new Date(time).toISOString()).sort())
})
