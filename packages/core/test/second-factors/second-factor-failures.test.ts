import { Auth } from "@latchkey/core"
import { accountArea } from "@latchkey/core/account-area"
import type { Adapter, AuthConfig } from "@latchkey/core/types"
import { authenticatorApp, type Browser, fixedClock } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { get, readAnswer, requestTo } from "../setup/requests.js"
import { type FactorHost, hasSessionCookie, openFactors, strategies } from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

type Hosting = FactorHost

/** Where an app is set up by the form of a page, and the form's address. */
const places = {
  "during a sign-in": { path: "/auth/second-factor", require: "always" },
  "in the account area": { path: "/auth/account/factors?step=set-up", require: "enrolled" },
  "before a change": { path: "/auth/confirm?callbackUrl=%2Fpay&factors=2", require: "enrolled" },
} as const

const isFailing = (call: number, from: number, isLasting: boolean) => (isLasting ? call >= from : call === from)

/** Sends the form of the page at a process whose store fails at a call, or from then on. Returns how many calls there were. */
async function sendAt({ host, adapter }: Hosting, browser: Browser, from: number, isLasting: boolean) {
  const { page } = browser
  if (!page) throw new Error("The browser shows no page")
  const form = page.form("form")
  const app = authenticatorApp(page.find("code")?.text.replaceAll(" ", "") ?? "")
  const { pathname, search } = new URL(form.action)
  const config = host.config as AuthConfig // as: a host has a configuration.
  let calls = 0
  const failing: Partial<Adapter> = Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      typeof method !== "function"
        ? method
        : (...args: unknown[]) =>
            isFailing(++calls, from, isLasting)
              ? Promise.reject(new Error(`The store fails at ${name}`))
              : Reflect.apply(method, adapter, args),
    ]),
  )
  // One call is not within another.
  const { transaction: _, ...methods } = failing
  const store = methods as Adapter // as: the methods of an adapter.
  const request = requestTo(`${pathname}${search}`, {
    form: { ...form.fields, code: await app.code() },
    cookie: cookiesOf(browser),
    headers: { accept: "text/html" },
  })
  const answer = await readAnswer(await Auth(request, { ...config, adapter: store }))
  for (const [name, { value, attributes }] of answer.cookies) {
    if (value === "" || attributes.includes("Max-Age=0")) browser.cookies.delete(name)
    else browser.cookies.set(name, value, { path: "/" })
  }
  return calls
}

const kindsOf = async (adapter: MemoryAdapter) => (await adapter.listFactors("u-ada")).map(({ kind }) => kind).sort()

async function countShown(browser: Browser): Promise<number> {
  const { text } = await get(browser, "/auth/second-factor/codes", { accept: "text/html" })
  return (text.match(/[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}/g) ?? []).length
}

const most = 60

describe.each(strategies)("a store that fails during the setup of an app, with %s sessions", (strategy) => {
  it.each(Object.entries(places))("FAC-13: %s: leaves the app with its codes, or neither", async (_, place) => {
    using _clock = fixedClock()
    const { path, require } = place
    const seen = new Set<string>()
    for (let from = 1; from <= most; from++) {
      const hosting = await openFactors({ strategy, accountArea: accountArea(), secondFactor: { require } })
      const browser = await hosting.signIn()
      await browser.open(path)
      const calls = await sendAt(hosting, browser, from, false)
      const [kinds, shown] = [await kindsOf(hosting.adapter), await countShown(browser)]
      const again = await countShown(browser)
      seen.add(kinds.join())
      expect({ from, kinds, shown, again }).toEqual(
        kinds.length === 0
          ? { from, kinds: [], shown: 0, again: 0 }
          : { from, kinds: ["recovery", "totp"], shown: 10, again: 10 },
      )
      if (calls < from) break
    }
    expect([...seen].sort()).toEqual(["", "recovery,totp"])
  })

  it("FAC-13: shows the codes of a sign-in whose session had started, although the store failed from then on", async () => {
    using _clock = fixedClock()
    const started: number[] = []
    for (let from = 1; from <= most; from++) {
      const hosting = await openFactors({ strategy, secondFactor: { require: "always" } })
      const browser = await hosting.signIn()
      await browser.open("/auth/second-factor")
      const calls = await sendAt(hosting, browser, from, true)
      if (calls < from) break
      if (!hasSessionCookie(browser)) continue
      started.push(from)
      expect({ from, shown: await countShown(browser) }).toEqual({ from, shown: 10 })
    }
    expect(started.length).toBeGreaterThan(0)
  })
})
