import { setTimeout as wait } from "node:timers/promises"
import { decode, encode } from "@latchkey/core/jwt"
import type { BrowserContext } from "playwright-core"
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { findAccessibilityFaults, readOverflow } from "../../apps/demo/test/browser/accessibility.js"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { ada } from "./steps.js"
import { closeWithoutProblems, openVisit, type Visit } from "./visit.js"

const iPhone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1"

const cookieName = "authjs.session-token"

/**
 * Tests of the page on which users see and end their sessions, with JavaScript and without.
 * @param bound Seconds after which an ended session is refused.
 */
export function describeUserSessions(example: Example, stage: () => Stage, bound: number): void {
  const ways = example.worksWithoutScript ? [true, false] : [true]
  describe.each(ways)("the sessions of a user, with JavaScript: %s", (hasScript) => {
    const mark = hasScript ? "" : "-without-script"
    const visits: Visit[] = []
    let laptop: Visit
    let phone: Visit
    let person: { readonly name: string; readonly email: string }

    async function visitor(device = {}): Promise<Visit> {
      const visit = await openVisit(example, stage(), hasScript, device)
      visits.push(visit)
      return visit
    }

    beforeAll(() => stage().forgetVisitors())
    beforeEach(async () => {
      const id = crypto.randomUUID()
      person = { name: `Visitor ${id}`, email: `${id}@example.com` }
      phone = await visitor({ userAgent: iPhone })
      laptop = await visitor()
      for (const visit of [phone, laptop]) {
        await visit.open("/")
        await visit.signUpWithDemoId(person)
        await visit.expectSignedInAs(person.name)
      }
    })
    afterEach(async () => {
      for (const visit of visits.splice(0)) await visit.close()
    })

    it("end one by one, and the other browser is signed out within the bound", async () => {
      await laptop.page.getByRole("link", { name: "Your sessions" }).click()
      await laptop.expectSessions(["Chrome on Linux, this browser", "Safari on iPhone"])
      await laptop.look(`sessions${mark}`)
      await laptop.endSessionOf("Safari on iPhone")
      await laptop.expectSessions(["Chrome on Linux, this browser"])
      await wait(bound * 1000)
      await phone.open("/")
      await phone.expectNobody()
      await laptop.open("/")
      await laptop.expectSignedInAs(person.name)
      await closeWithoutProblems(laptop)
      await closeWithoutProblems(phone)
    })

    it("end all but the current one, also those of a password, and their browsers are signed out within the bound", async () => {
      const others = [phone, await visitor()]
      for (const visit of [...others, laptop]) {
        await visit.open("/login?callbackUrl=%2Fsessions")
        await visit.signInWithPassword()
        await visit.expectPath("/sessions")
      }
      // At least one for each browser: other tests have left more. The path changes before the list is there.
      await laptop.page.locator(".sessions li").nth(others.length).waitFor()
      await laptop.endOtherSessions()
      await laptop.expectSessions(["Chrome on Linux, this browser"])
      await wait(bound * 1000)
      for (const other of others) {
        await other.open("/private")
        await other.expectPath(example.login === "own" ? "/login" : `${example.basePath}/signin`)
      }
      await laptop.open("/")
      await laptop.expectSignedInAs(ada.name)
      await closeWithoutProblems(laptop)
    })

    it("go on when a browser with a session from before they were tracked ends the others", async () => {
      // The response of a page that loads ahead could bring the former cookie back. Another visit would change the order.
      await phone.page.waitForLoadState("networkidle")
      await forgetTracking(phone.context, stage())
      await phone.open("/sessions")
      await phone.expectSessions(["Safari on iPhone, this browser", "Chrome on Linux", "Safari on iPhone"])
      await phone.endOtherSessions()
      await phone.expectAlert("You signed in more than ten minutes ago. Sign in again to end other sessions.")
      await phone.look(`sign-in-again${mark}`)
      await wait(bound * 1000)
      await laptop.open("/")
      await laptop.expectSignedInAs(person.name)
      await closeWithoutProblems(phone)
    })

    if (hasScript) {
      it.each(["light", "dark"] as const)(
        "have a page that passes axe and fits into 320 pixels, in the %s color scheme",
        async (colorScheme) => {
          await laptop.page.emulateMedia({ colorScheme })
          await laptop.page.setViewportSize({ width: 320, height: 640 })
          for (const path of ["/", "/sessions", "/sessions?error=FreshnessRequired"]) {
            await laptop.open(path)
            expect({ path, faults: await findAccessibilityFaults(laptop.page) }).toEqual({ path, faults: [] })
            expect({ path, overflow: await readOverflow(laptop.page) }).toEqual({ path, overflow: 0 })
            await laptop.look(`narrow-${colorScheme}${path.replace(/\W+/g, "-")}`)
          }
        },
      )
    }
  })
}

/** Turns the session cookie into one that the app wrote yesterday, before it tracked sessions. */
async function forgetTracking(context: BrowserContext, { origin, standIns }: Stage): Promise<void> {
  const cookie = (await context.cookies(origin)).find(({ name }) => name === cookieName)
  if (!cookie) throw new Error("There is no session cookie")
  const { AUTH_SECRET: secret = "" } = standIns.env
  const claims = await decode({ token: cookie.value, secret, salt: cookieName })
  const { sid: _sid, chk: _chk, amr: _amr, auth_time: _time, ...before } = claims ?? {}
  vi.setSystemTime(Date.now() - 24 * 60 * 60 * 1000)
  const value = await encode({ token: before, secret, salt: cookieName }).finally(() => vi.useRealTimers())
  // It keeps when the user of this browser proved who they are, and there was none yesterday.
  await context.clearCookies({ name: "authjs.proof" })
  await context.addCookies([{ ...cookie, value }])
}
