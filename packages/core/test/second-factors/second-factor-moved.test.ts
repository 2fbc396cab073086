import { createSource } from "@latchkey/core/moving"
import { requireFresh, trackSessions } from "@latchkey/core/sessions"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { post } from "../setup/requests.js"
import { address, change, give, hasSessionCookie, openFactors, strategies } from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const now = new Date("2026-11-28T08:05:00Z")

/** Sessions of an app that had cookies of its own, for Ada. */
const former = (ended: string[]) =>
  createSource(
    { until: new Date("2027-03-01T00:00:00Z") },
    {
      name: "former",
      cookies: ["sid"],
      read: (value) =>
        /^s-\d$/.test(value) ? { kind: "found", claims: null, subject: "u-ada", startedAt: now } : { kind: "over" },
      end: (key) => void ended.push(key),
    },
  )

const kinds = strategies.flatMap((strategy) => [
  [strategy, "not tracked", {}] as const,
  [strategy, "tracked", { track: trackSessions({ checkEvery: 0 }) }] as const,
])

describe.each(kinds)(
  "MIG-09: a session of another library with a second factor here (%s, %s)",
  (strategy, _, tracking) => {
    const open = async (options: Parameters<typeof openFactors>[0] = {}) => {
      const ended: string[] = []
      const opened = await openFactors({ ...options, session: { strategy, accept: [former(ended)], ...tracking } })
      const { app, recoveryCodes } = await opened.enroll()
      const arrive = (value = "s-1") => {
        const browser = opened.host.newBrowser()
        browser.cookies.set("sid", value, { path: "/" })
        return browser
      }
      return { ...opened, app, recoveryCodes, arrive, ended }
    }

    it("becomes a session of ours with the code, and ends with it", async () => {
      using clock = fixedClock(now)
      const { app, arrive, ended } = await open()
      const browser = arrive()
      expect((await browser.open("/auth/signin")).url.pathname).toBe("/auth/second-factor")
      expect(await browser.session()).toBeNull()
      clock.advance({ minutes: 1 })
      await give(browser, await app.code())
      expect((await browser.session())?.user?.email).toBe(address)
      expect(browser.cookies.names()).not.toContain("sid")
      await browser.signOut()
      expect(ended).toEqual(["s-1"])
      // Its copy is worthless: it leads neither to a session nor to the second step.
      const copy = arrive()
      expect((await copy.open("/auth/signin")).url.pathname).toBe("/auth/signin")
      expect(await copy.session()).toBeNull()
    })

    it("becomes one with a recovery code, too", async () => {
      using _clock = fixedClock(now)
      const { arrive, recoveryCodes } = await open()
      const browser = arrive()
      await browser.open("/auth/signin")
      await give(browser, recoveryCodes[0] ?? "", "recovery")
      expect((await browser.session())?.user?.email).toBe(address)
    })

    it("MIG-14: counts as a recent sign-in by nothing but the code that was given", async () => {
      using clock = fixedClock(now)
      const { app, arrive, recoveryCodes } = await open()
      const browser = arrive()
      await browser.open("/auth/signin")
      clock.advance({ minutes: 1 })
      await give(browser, await app.code())
      expect((await browser.session())?.user?.email).toBe(address)
      expect((await change(browser, "begin-totp")).status).toBe(403)
      expect((await post(browser, "/auth/confirm/recovery", { code: recoveryCodes[0] ?? "" })).status).toBe(302)
      expect((await change(browser, "begin-totp")).status).toBe(403)
      expect((await post(browser, "/auth/confirm/cred", { name: address })).status).toBe(302)
      expect((await change(browser, "begin-totp")).status).toBe(200)
    })

    it("MIG-14: counts as no recent sign-in on a device that is not asked for a code", async () => {
      using clock = fixedClock(now)
      const { app, host, signIn } = await open({ secondFactor: { remember: { days: 30 } } })
      clock.advance({ minutes: 1 })
      const browser = await signIn()
      await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
      await browser.signOut()
      browser.cookies.set("sid", "s-1", { path: "/" })
      await browser.open("/auth/signin")
      const headers = { cookie: cookiesOf(browser) }
      const request = new Request("https://app.test/payments", { headers })
      expect((await browser.session())?.user?.email).toBe(address)
      expect(await requireFresh(request, host.config, { factors: 1 })).toBeInstanceOf(Response)
    })

    it("becomes none with a wrong code, and can be tried again", async () => {
      using clock = fixedClock(now)
      const { app, arrive } = await open()
      const browser = arrive()
      await browser.open("/auth/signin")
      await give(browser, "000000")
      expect([hasSessionCookie(browser), await browser.session()]).toEqual([false, null])
      clock.advance({ minutes: 1 })
      await give(browser, await app.code())
      expect((await browser.session())?.user?.email).toBe(address)
    })

    it("leads to one session only, also if two copies wait for the code", async () => {
      using clock = fixedClock(now)
      const { app, arrive } = await open()
      const [first, second] = [arrive(), arrive()]
      await first.open("/auth/signin")
      await second.open("/auth/signin")
      clock.advance({ minutes: 1 })
      await give(first, await app.code())
      expect((await first.session())?.user?.email).toBe(address)
      await first.signOut()
      clock.advance({ minutes: 1 })
      await give(second, await app.code())
      expect(await second.session()).toBeNull()
    })
  },
)
