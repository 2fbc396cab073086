import { signOutEverywhere, type TrackSessionsOptions, trackSessions } from "@latchkey/core/sessions"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Browser } from "../browser/browser.js"
import { type TestHost, testHost } from "../host/test-host.js"
import { testEmail } from "../mail/mailbox.js"
import { type FixedClock, fixedClock } from "../time/fixed-clock.js"
import { testAccountArea } from "./account-features.js"
import { testPasswords } from "./password-features.js"
import type { AdapterSuite, AdapterUnderTest } from "./test-adapter.js"

const liveSessionCookie = /^__Secure-authjs\.session-token(?:\.0)?=[^;]/

interface Listed {
  readonly id: string
  readonly isCurrent: boolean
}

/**
 * Registers the vitest tests of tracked sessions, mailed codes, passwords and the account area, end to end: the service runs
 * on the adapter. For adapters with all methods but `transaction`.
 * @example testFeatures({ name: "my store", create: async () => ({ adapter: MyAdapter(await connect()) }) })
 */
export function testFeatures({ name = "adapter", create }: Pick<AdapterSuite, "name" | "create">): void {
  testPasswords({ name, create })
  testAccountArea({ name, create })
  describe.each(["jwt", "database"] as const)(`${name}, with tracked %s sessions`, (strategy) => {
    let store: AdapterUnderTest
    let clock: FixedClock
    let email: string
    beforeEach(async () => {
      store = await create()
      clock = fixedClock(new Date())
      email = `${crypto.randomUUID()}@corp.test`
    })
    afterEach(async () => {
      clock.restore()
      await store.close?.()
    })

    const openHost = (tracking: TrackSessionsOptions = {}) =>
      testHost({
        adapter: store.adapter,
        session: { strategy, track: trackSessions(tracking) },
        rateLimit: false,
        providers: [testEmail({ code: true })],
      })

    /** Signs in by the code of a mail. */
    async function signIn(host: TestHost, browser: Browser): Promise<Browser> {
      await browser.signIn("email", { email, callbackUrl: "/in" })
      await typeCode(browser, host.mailbox.lastCode())
      expect((await browser.session())?.user?.email).toBe(email)
      return browser
    }

    const findUserId = async () => (await store.adapter.getUserByEmail?.(email))?.id ?? ""

    it("SESS-01: list the sessions of one user, and refuse an ended one", async () => {
      const host = openHost({ checkEvery: 60 })
      const laptop = await signIn(host, host.browser)
      const phone = await signIn(host, host.newBrowser())
      const stolen = copyOf(phone, host.newBrowser())
      const listed = await listOf(laptop)
      expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
      expect((await listOf(phone)).map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toReversed())
      expect((await change(laptop, { action: "end", id: listed[1]?.id ?? "" })).status).toBe(200)
      clock.advance({ seconds: 60 })
      expect([await phone.session(), await stolen.session()]).toEqual([null, null])
      expect((await laptop.session())?.user?.email).toBe(email)
      expect(await listOf(laptop)).toHaveLength(1)
    })

    it("SESS-01: end every session of a user, and of no other", async () => {
      const host = openHost({ checkEvery: 0 })
      const browsers = [await signIn(host, host.browser), await signIn(host, host.newBrowser())]
      const userId = await findUserId()
      email = `${crypto.randomUUID()}@corp.test`
      const other = await signIn(host, host.newBrowser())
      await signOutEverywhere(host.config, userId)
      clock.advance({ seconds: 1 })
      for (const browser of browsers) expect(await browser.session()).toBeNull()
      expect(await other.session()).not.toBeNull()
      expect(await listOf(other)).toHaveLength(1)
    })

    it("SESS-04: keep a session ended that ends while it is extended", async () => {
      const host = openHost({ checkEvery: 0 })
      const browser = await signIn(host, host.browser)
      const stolen = copyOf(browser, host.newBrowser())
      clock.advance({ days: 2 })
      const checks = Array.from({ length: 10 }, () => browser.newTab().session())
      await Promise.all([...checks, signOutEverywhere(host.config, await findUserId())])
      expect([await browser.session(), await stolen.session()]).toEqual([null, null])
      expect(await store.adapter.listSessionsByUserId?.(await findUserId())).toEqual([])
    })

    it("SESS-07: leave a user as many sessions as maxPerUser allows after parallel sign-ins", async () => {
      const host = openHost({ maxPerUser: { count: 3, over: "end-oldest" } })
      await signIn(host, host.browser)
      const browsers = Array.from({ length: 8 }, () => host.newBrowser())
      const codes: string[] = []
      for (const browser of browsers) {
        await browser.signIn("email", { email })
        codes.push(host.mailbox.lastCode())
      }
      await Promise.all(browsers.map((browser, n) => typeCode(browser, codes[n] ?? "")))
      expect(await store.adapter.listSessionsByUserId?.(await findUserId())).toHaveLength(3)
    })

    it("CODE-04: refuse a code and its link after five wrong guesses", async () => {
      const host = openHost()
      await host.browser.signIn("email", { email })
      const code = host.mailbox.lastCode()
      for (let n = 1; n <= 5; n++) await typeCode(host.browser, otherCode(code, n))
      await typeCode(host.browser, code)
      expect(await host.browser.session()).toBeNull()
      await host.browser.open(host.mailbox.lastLink())
      expect([await host.browser.session(), await store.adapter.getUserByEmail?.(email)]).toEqual([null, null])
    })

    it("CODE-05: start one session from the code and the link, 50 times at once", async () => {
      const host = openHost()
      await host.browser.signIn("email", { email })
      const [code, link] = [host.mailbox.lastCode(), host.mailbox.lastLink()]
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => {
          const tab = copyOf(host.browser, host.newBrowser())
          return n % 2 === 0 ? typeCode(tab, code) : tab.fetch(link)
        }),
      )
      expect(answers.filter(startsSession)).toHaveLength(1)
      expect(await store.adapter.listSessionsByUserId?.(await findUserId())).toHaveLength(1)
    })
  })
}

async function typeCode(browser: Browser, code: string): Promise<Response> {
  const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), code })
  return await browser.fetch("/auth/callback/email", { method: "POST", body })
}

async function change(browser: Browser, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), ...fields })
  return await browser.fetch("/auth/account/sessions", {
    method: "POST",
    body,
    headers: { accept: "application/json" },
  })
}

async function listOf(browser: Browser): Promise<readonly Listed[]> {
  const answer = await browser.fetch("/auth/account/sessions", { headers: { accept: "application/json" } })
  const { sessions } = (await answer.json()) as { readonly sessions: readonly Listed[] } // as: what the route answers
  return sessions
}

function copyOf(from: Browser, to: Browser): Browser {
  for (const { name, value } of from.cookies.list()) to.cookies.set(name, value)
  return to
}

function otherCode(code: string, distance: number): string {
  return String((Number(code) + distance) % 1_000_000).padStart(6, "0")
}

function startsSession(answer: Response): boolean {
  return answer.headers.getSetCookie().some((cookie) => liveSessionCookie.test(cookie))
}
