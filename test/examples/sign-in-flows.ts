import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { ada, polling } from "./steps.js"
import { closeWithoutProblems, openVisit, type Visit } from "./visit.js"

/** Tests of signing in and out, with JavaScript and, if the framework supports it, without. */
export function describeSignInFlows(example: Example, stage: () => Stage): void {
  const ways = example.worksWithoutScript ? [true, false] : [true]
  describe.each(ways)("with JavaScript: %s", (hasScript) => {
    let visit: Visit
    const mark = hasScript ? "" : "-without-script"

    beforeEach(async () => {
      visit = await openVisit(example, stage(), hasScript)
    })
    afterEach(() => visit.close())

    it("shows the home page to anonymous visitors", async () => {
      await visit.open("/")
      await visit.expectNobody()
      expect(await visit.page.title()).not.toBe("")
      expect(await visit.page.locator("html").getAttribute("lang")).toBe("en")
      await visit.look(`home${mark}`)
      await closeWithoutProblems(visit)
    })

    it("signs in with an OpenID provider, and returns to the home page", async () => {
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.expectPath("/")
      await visit.expectSignedInAs("Grace Hopper")
      await visit.look(`signed-in${mark}`)
      await closeWithoutProblems(visit)
    })

    it("signs in with user name and password, and redirects to the callback URL", async () => {
      await visit.open("/login?callbackUrl=%2Fprivate")
      await visit.look(`login${mark}`)
      await visit.signInWithPassword()
      await visit.expectPath("/private")
      await visit.open("/")
      await visit.expectSignedInAs(ada.name)
      await closeWithoutProblems(visit)
    })

    it("keeps pages with the session cookie out of shared caches", async () => {
      const { cachedPage } = example
      if (cachedPage) expect(await readCaching(visit, cachedPage, stage())).toMatch(/s-maxage/)
      await visit.open("/login")
      await visit.signInWithPassword()
      await visit.expectPath("/")
      for (const path of ["/", "/private"])
        expect(await readCaching(visit, path, stage())).toMatch(/private|no-store|^$/)
      if (cachedPage) expect(await readCaching(visit, cachedPage, stage())).toBe("private, no-store")
    })

    it("shows an error for a wrong password, and accepts the right one afterwards", async () => {
      await visit.open("/login")
      await visit.signInWithPassword("incorrect horse")
      await visit.expectAlert(wrongPasswordText(example))
      await visit.expectPath(example.login === "own" ? "/login" : `${example.basePath}/signin`)
      await visit.look(`wrong-password${mark}`)
      await visit.signInWithPassword()
      await visit.expectPath("/")
      await visit.expectSignedInAs(ada.name)
    })

    it("starts no session after a wrong password", async () => {
      await visit.open("/login")
      await visit.signInWithPassword("incorrect horse")
      await visit.expectAlert(wrongPasswordText(example))
      await visit.open("/")
      await visit.expectNobody()
    })

    if (example.hasMail) {
      it("signs in with an emailed link, which works once", async () => {
        const email = hasScript ? "hedy@example.com" : "katherine@example.com"
        await visit.open("/login")
        await visit.askForLink(email)
        await visit.expectHeading("Check your email")
        await visit.look(`mail-sent${mark}`)
        await visit.followLink(email)
        await visit.expectPath("/")
        await visit.expectSignedInAs(email)
        await closeWithoutProblems(visit)
        const other = await openVisit(example, stage(), hasScript)
        await other.followLink(email)
        await other.open("/")
        await other.expectNobody()
        await other.close()
      })
    }

    it("redirects anonymous visitors from the private page to the login page, and back after signing in", async () => {
      await visit.open("/private")
      await visit.expectPath(example.login === "own" ? "/login" : `${example.basePath}/signin`)
      await visit.signInWithPassword()
      await visit.expectPath("/private")
      await visit.expectHeading("Private")
      await expect.poll(() => visit.page.locator("body").textContent(), polling).toContain(ada.name)
      await visit.look(`private${mark}`)
      await closeWithoutProblems(visit)
    })

    it("links from the home page to the private page", async () => {
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.page.getByRole("link", { name: "Private page" }).click()
      await visit.expectPath("/private")
      await visit.expectHeading("Private")
      await closeWithoutProblems(visit)
    })

    it("signs out, and protects the private page again", async () => {
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.expectSignedInAs("Grace Hopper")
      await visit.signOut()
      await visit.expectPath("/")
      await visit.expectNobody()
      await visit.open("/private")
      await visit.expectPath(example.login === "own" ? "/login" : `${example.basePath}/signin`)
      await closeWithoutProblems(visit)
    })
  })
}

function wrongPasswordText({ login }: Example): string {
  if (login === "own") return "Wrong user name or password."
  return "That sign-in did not work. Check what you typed and try again."
}

/** The `Cache-Control` of a page; empty for a page without it that sets no session cookie. */
async function readCaching(visit: Visit, path: string, { origin }: Stage): Promise<string> {
  const response = await visit.context.request.get(`${origin}${path}`)
  const headers = response.headersArray().map(({ name, value }) => ({ name: name.toLowerCase(), value }))
  const hasSession = headers.some(({ name, value }) => name === "set-cookie" && value.includes("session-token"))
  const caching = headers.find(({ name }) => name === "cache-control")?.value
  return caching ?? (hasSession ? "missing" : "")
}
