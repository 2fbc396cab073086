import { setPassword } from "@latchkey/core/passwords"
import Passwords, { type AddressedMail } from "@latchkey/core/providers/passwords"
import { trackSessions } from "@latchkey/core/sessions"
import { describe, expect, it } from "vitest"
import type { Browser } from "../browser/browser.js"
import { type TestHost, testHost } from "../host/test-host.js"
import type { AdapterSuite, AdapterUnderTest } from "./test-adapter.js"

const password = "correct horse battery"
const newPassword = "another staple of words"

/** An answer, without what differs by visitor. */
interface Shape {
  readonly status: number
  readonly body: string
  readonly location: string | null
  readonly headers: readonly string[]
}

/** Registers the tests of passwords, end to end: the service runs on the adapter. */
export function testPasswords({ name = "adapter", create }: Pick<AdapterSuite, "name" | "create">): void {
  describe.each(["jwt", "database"] as const)(`${name}, with passwords and %s sessions`, (strategy) => {
    it.each(Object.entries(cases))("%s", async (_, run) => {
      const store = await create()
      try {
        await run(openStage(store, strategy))
      } finally {
        await store.close?.()
      }
    })
  })
}

/** A host with passwords on a store, and a person with an address. */
interface Stage {
  readonly host: TestHost
  readonly store: AdapterUnderTest
  readonly email: string
  readonly mails: readonly AddressedMail[]
  lastCode(): string
  isSignedIn(browser: Browser): Promise<boolean>
  /** Creates the account, and signs it in. */
  signUp(): Promise<Browser>
  /** Signs in with a password, in a new browser. */
  signIn(typed: string): Promise<Browser>
}

function openStage(store: AdapterUnderTest, strategy: "jwt" | "database"): Stage {
  const email = `${crypto.randomUUID()}@corp.test`
  const mails: AddressedMail[] = []
  const host = testHost({
    adapter: store.adapter,
    session: { strategy, track: trackSessions({ checkEvery: 0 }) },
    rateLimit: false,
    providers: [Passwords({ mail: { send: (mail) => void mails.push(mail) }, breached: false })],
  })
  const lastCode = () => /^\d{6}$/m.exec(mails.at(-1)?.text ?? "")?.[0] ?? ""
  return {
    host,
    store,
    email,
    mails,
    lastCode,
    isSignedIn: async (browser) => (await browser.session())?.user?.email === email,
    async signUp() {
      const browser = host.newBrowser()
      await post(browser, "password/sign-up", { email, password })
      expect(await store.adapter.getUserByEmail?.(email)).toBeFalsy()
      await post(browser, "password/sign-up", { code: lastCode() })
      return browser
    },
    async signIn(typed) {
      const browser = host.newBrowser()
      await post(browser, "callback/password", { email, password: typed })
      return browser
    },
  }
}

const cases: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  async "PASS-01: make an account when its mailbox is proved, and sign it in"({ signUp, signIn, isSignedIn }) {
    expect(await isSignedIn(await signUp())).toBe(true)
    expect(await isSignedIn(await signIn(password))).toBe(true)
    expect(await isSignedIn(await signIn(newPassword))).toBe(false)
  },

  async "PASS-02: answer the same for a known and an unknown address"({ host, email, signUp, signIn, isSignedIn }) {
    await signUp()
    const forms = (address: string) =>
      [
        ["callback/password", { email: address, password: newPassword }],
        ["password/sign-up", { email: address, password: newPassword }],
        ["password/forgot", { email: address }],
      ] as const
    const stranger = `${crypto.randomUUID()}@corp.test`
    for (const [index, [path, fields]] of forms(email).entries()) {
      const known = await post(host.newBrowser(), path, fields)
      expect(await post(host.newBrowser(), path, forms(stranger)[index]?.[1] ?? {})).toEqual(known)
    }
    expect(await isSignedIn(await signIn(password))).toBe(true)
  },

  async "PASS-03: reset a password, end all sessions and the mails from before"(stage) {
    const { host, email, lastCode, signUp, signIn, isSignedIn } = stage
    const thief = await signUp()
    const [first, second] = [host.newBrowser(), host.newBrowser()]
    await post(first, "password/forgot", { email })
    const firstCode = lastCode()
    await post(second, "password/forgot", { email })
    await post(second, "password/reset", { code: lastCode(), password: newPassword })
    expect([await isSignedIn(second), await isSignedIn(thief)]).toEqual([true, false])
    await post(first, "password/reset", { code: firstCode, password: "a third password of words" })
    expect(await isSignedIn(first)).toBe(false)
    expect(await isSignedIn(await signIn(newPassword))).toBe(true)
  },

  async "PASS-03: let one of several parallel resets by one link win"(stage) {
    const { host, email, mails, signUp, signIn, isSignedIn } = stage
    await signUp()
    await post(host.browser, "password/forgot", { email })
    const { search } = new URL(/https:\/\/\S+/.exec(mails.at(-1)?.text ?? "")?.[0] ?? "")
    const browsers = Array.from({ length: 5 }, () => host.newBrowser())
    const typed = (index: number) => `${newPassword} ${index}`
    await Promise.all(
      browsers.map((browser, index) => post(browser, `password/reset${search}`, { password: typed(index) })),
    )
    const winners = (await Promise.all(browsers.map(isSignedIn))).flatMap((isIn, index) => (isIn ? [index] : []))
    expect(winners).toHaveLength(1)
    expect(await isSignedIn(await signIn(typed(winners[0] ?? -1)))).toBe(true)
  },

  async "PASS-08: change a password with the current one, or by code of the host"(stage) {
    const { host, store, email, signUp, signIn, isSignedIn } = stage
    const browser = await signUp()
    const other = await signIn(password)
    await post(browser, "password/change", { current: newPassword, password: newPassword })
    expect(await isSignedIn(other)).toBe(true)
    await post(browser, "password/change", { current: password, password: newPassword })
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false])
    await setPassword(host.config, (await store.adapter.getUserByEmail?.(email))?.id ?? "", password)
    expect(await isSignedIn(browser)).toBe(false)
    expect(await isSignedIn(await signIn(password))).toBe(true)
  },
}

async function post(browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<Shape> {
  const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), ...fields })
  const response = await browser.fetch(`/auth/${path}`, { method: "POST", body })
  const cookies = response.headers.getSetCookie().map((line) => line.replace(/(?:\.[0-9a-z_-]{19})?=.*/i, ""))
  const headers = [...response.headers].filter(([header]) => header !== "set-cookie")
  return {
    status: response.status,
    body: await response.text(),
    location: response.headers.get("location"),
    headers: [...headers.map(([header, value]) => `${header}: ${value}`), ...cookies],
  }
}
