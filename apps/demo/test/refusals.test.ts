import { DatabaseSync } from "node:sqlite"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hasChromium } from "./chromium.js"
import {
  askForLink,
  choosePerson,
  followNewestLink,
  openSignIn,
  readWhoIsSignedIn,
  signInWithDemoId,
  signInWithPassword,
} from "./sign-in-steps.js"
import { browserTestOptions, openStage, type Stage } from "./stage.js"

describe.skipIf(!hasChromium)("what the demo refuses", browserTestOptions, () => {
  let stage: Stage
  let visitor: BrowserContext
  let page: Page
  const origin = (): string => stage.demo().origin
  const expectNobody = async (): Promise<void> => {
    expect(await readWhoIsSignedIn(page, origin())).toContain("Nobody is signed in")
  }

  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())
  beforeEach(async () => {
    visitor = await stage.visitor()
    page = await visitor.newPage()
  })
  afterEach(() => visitor.close())

  it("a wrong password, without a word on what was wrong", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page, "lovelace-1844")
    expect(await page.getByRole("alert").textContent()).toContain("That sign-in did not work.")
    await expectNobody()
  })

  it("a link that is too old", async () => {
    await openSignIn(page, origin())
    await askForLink(page, "late@example.com")
    const database = new DatabaseSync(stage.dataFile("app.sqlite"), { timeout: 5000 })
    const aged = database.prepare(`update "VerificationToken" set expires = ?`).run("2020-01-01T00:00:00.000Z")
    database.close()
    expect(Number(aged.changes)).toBeGreaterThan(0)
    await followNewestLink(page, origin())
    expect(await page.getByRole("heading").first().textContent()).toBe("This link no longer works")
    await expectNobody()
  })

  it("a link that was used already", async () => {
    await openSignIn(page, origin())
    await askForLink(page, "twice@example.com")
    await followNewestLink(page, origin())
    await visitor.clearCookies()
    await followNewestLink(page, origin())
    expect(await page.getByRole("heading").first().textContent()).toBe("This link no longer works")
    await expectNobody()
  })

  it("an account that the app does not let in", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Mallory")
    expect(await page.getByRole("heading").first().textContent()).toBe("You do not have access")
    await expectNobody()
  })

  it("to go on when the person cancels at the identity provider, and says so", async () => {
    await openSignIn(page, origin())
    await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
    await page.getByRole("button", { name: "Cancel and go back" }).click()
    expect(await page.getByRole("alert").textContent()).toContain("Sign-in was cancelled")
    await expectNobody()
  })

  it("an address that belongs to an account of another way to sign in", async () => {
    await openSignIn(page, origin())
    await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
    await page.getByLabel("Name").fill("Not Ada")
    await page.getByLabel("Email address").fill("ada@demo.example")
    await page.getByRole("button", { name: "Continue" }).click()
    expect(await page.getByRole("alert").textContent()).toContain("This email already has an account")
    await expectNobody()
  })

  it("a session cookie that somebody has changed", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    await tamper("authjs.session-token")
    await expectNobody()
  })

  it("to finish a sign-in whose check cookie somebody has changed", async () => {
    await openSignIn(page, origin())
    await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
    await tamper("authjs.state")
    await choosePerson(page, "Grace Hopper")
    expect(page.url()).toContain("error=")
    await expectNobody()
  })

  it("a page at the identity provider when no sign-in is under way", async () => {
    await page.goto(`${stage.demo().identityProviderOrigin}/login/gone`)
    expect(await page.getByRole("heading").first().textContent()).toBe("This sign-in cannot go on")
  })

  it("a form of another site", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    const foreign = `data:text/html,<form method="post" action="${origin()}/account/end-other-sessions"><button>Go</button></form>`
    await page.goto(foreign)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      page.getByRole("button", { name: "Go" }).click(),
    ])
    expect(answer.status()).toBe(403)
  })

  /** Changes the middle of every cookie of that name or of a flow of it. */
  async function tamper(name: string): Promise<void> {
    const cookies = (await visitor.cookies(origin())).filter((cookie) => cookie.name.startsWith(name))
    expect(cookies.length).toBeGreaterThan(0)
    const changed = cookies.map((cookie) => {
      const middle = Math.floor(cookie.value.length / 2)
      const other = cookie.value[middle] === "a" ? "b" : "a"
      return { ...cookie, value: cookie.value.slice(0, middle) + other + cookie.value.slice(middle + 1) }
    })
    await visitor.addCookies(changed)
  }
})
