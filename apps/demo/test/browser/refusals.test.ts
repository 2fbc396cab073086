import { DatabaseSync } from "node:sqlite"
import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, openStage, type Stage, useVisits } from "../stage.js"
import {
  choosePerson,
  expectSignedOut,
  openNewestLink,
  openSignIn,
  readCurrentSession,
  requestLink,
  signInWithDemoId,
  signInWithPassword,
} from "../steps.js"

describe.skipIf(!hasChromium)("the demo rejects", browserTestOptions, () => {
  let stage: Stage
  let context: BrowserContext
  let page: Page
  const origin = (): string => stage.demo().origin

  useVisits(openStage, (visit) => {
    ;({ stage, context, page } = visit)
  })

  it("a wrong password, without saying which field is wrong", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page, "lovelace-in-1844")
    expect(await page.getByRole("alert").textContent()).toContain("That sign-in did not work.")
    await expectSignedOut(page, origin())
  })

  it("an expired email link", async () => {
    await openSignIn(page, origin())
    await requestLink(page, "late@example.com")
    const database = new DatabaseSync(stage.dataFile("app.sqlite"), { timeout: 5000 })
    const aged = database.prepare(`update "VerificationToken" set expires = ?`).run("2020-01-01T00:00:00.000Z")
    database.close()
    expect(Number(aged.changes)).toBeGreaterThan(0)
    await openNewestLink(page, origin())
    expect(await page.getByRole("heading").first().textContent()).toBe("This link no longer works")
    await expectSignedOut(page, origin())
  })

  it("an email link that was already used", async () => {
    await openSignIn(page, origin())
    await requestLink(page, "twice@example.com")
    await openNewestLink(page, origin())
    await context.clearCookies()
    await openNewestLink(page, origin())
    await page.getByRole("button", { name: "Sign in" }).click()
    expect(await page.getByRole("heading").first().textContent()).toBe("This link no longer works")
    await expectSignedOut(page, origin())
  })

  it("a code that is not sent as a form", async () => {
    const headers = { "content-type": "text/plain", "sec-fetch-site": "same-origin" }
    const answer = await page.request.post(`${origin()}/check-email`, { headers, data: "123456", maxRedirects: 0 })
    expect(answer.status()).toBe(303)
    expect(answer.headers()["location"]).toBe("/auth/signin?error=Verification")
  })

  it("to end other sessions in a browser that forgot its proof", async () => {
    const other = await stage.newContext()
    for (const tab of [await other.newPage(), page]) {
      await openSignIn(tab, origin())
      await signInWithPassword(tab)
    }
    await page.context().clearCookies({ name: /authjs\.proof$/ })
    await page.goto(`${origin()}/auth/account/sessions`)
    expect(await page.getByRole("link", { name: "Sign out everywhere else" }).count()).toBe(0)
    await page.getByRole("link", { name: "Confirm" }).click()
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Confirm it’s you")
    for (const tab of [other.pages()[0] ?? page, page])
      expect(await readCurrentSession(tab, origin())).toContain("Ada Lovelace")
    await other.close()
  })

  it("an account that the signIn callback denies", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Mallory")
    expect(await page.getByRole("heading").first().textContent()).toBe("You do not have access")
    await expectSignedOut(page, origin())
  })

  it("a sign-in that was canceled at the identity provider, and shows the reason", async () => {
    await openSignIn(page, origin())
    await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
    await page.getByRole("button", { name: "Cancel and go back" }).click()
    expect(await page.getByRole("alert").textContent()).toContain("Sign-in was canceled")
    await expectSignedOut(page, origin())
  })

  it("an email address that belongs to an account with another sign-in method", async () => {
    await openSignIn(page, origin())
    await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
    await page.getByLabel("Name").fill("Not Ada")
    await page.getByLabel("Email address").fill("ada@demo.example")
    await page.getByRole("button", { name: "Continue" }).click()
    expect(await page.getByRole("alert").textContent()).toContain("This email already has an account")
    await expectSignedOut(page, origin())
  })

  it("a modified session cookie", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    await tamper("authjs.session-token")
    await expectSignedOut(page, origin())
  })

  it("a callback with a modified state cookie", async () => {
    await openSignIn(page, origin())
    await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
    await tamper("authjs.state")
    await choosePerson(page, "Grace Hopper")
    expect(page.url()).toContain("error=")
    await expectSignedOut(page, origin())
  })

  it("a login page without a sign-in in progress", async () => {
    await page.goto(`${stage.demo().identityProviderOrigin}/login/gone`)
    expect(await page.getByRole("heading").first().textContent()).toBe("This sign-in cannot continue")
  })

  it("a form from another site", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    const foreign = `data:text/html,<form method="post" action="${origin()}/sign-out-everywhere"><button>Go</button></form>`
    await page.goto(foreign)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      page.getByRole("button", { name: "Go" }).click(),
    ])
    expect(answer.status()).toBe(403)
    expect(await readCurrentSession(page, origin())).toContain("Ada Lovelace")
  })

  /** Changes a character in the middle of every cookie whose name starts with `name`. */
  async function tamper(name: string): Promise<void> {
    const cookies = (await context.cookies(origin())).filter((cookie) => cookie.name.startsWith(name))
    expect(cookies.length).toBeGreaterThan(0)
    const changed = cookies.map((cookie) => {
      const middle = Math.floor(cookie.value.length / 2)
      const other = cookie.value[middle] === "a" ? "b" : "a"
      return { ...cookie, value: cookie.value.slice(0, middle) + other + cookie.value.slice(middle + 1) }
    })
    await context.addCookies(changed)
  }
})
