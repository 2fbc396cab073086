import type { BrowserContext, Page } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
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

describe.skipIf(!hasChromium)("the account page", browserTestOptions, () => {
  let stage: Stage
  let visitor: BrowserContext
  let page: Page
  const origin = (): string => stage.demo().origin
  const remove = () => page.getByRole("button", { name: "Remove Demo ID account" })

  beforeEach(async () => {
    stage = await openStage()
    visitor = await stage.visitor()
    page = await visitor.newPage()
  }, browserTestOptions.timeout)
  afterEach(() => stage.close())

  it("never takes away the last way to sign in", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    expect(await remove().count()).toBe(0)
    const account = await page.getByText("account", { exact: false }).allTextContents()
    const providerAccountId = account.join(" ").match(/[0-9a-f]{24}/)?.[0] ?? ""
    const answer = await visitor.request.post(`${origin()}/account/unlink`, {
      form: { provider: "demo-id", providerAccountId },
      headers: { origin: origin() },
    })
    expect(answer.url()).toBe(`${origin()}/account?done=kept`)
    expect(await answer.text()).toContain("Nothing was removed")
  })

  it("removes a provider once the address was proven by a link", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    await openSignIn(page, origin())
    await askForLink(page, "grace@id.example")
    await followNewestLink(page, origin())
    expect(await readWhoIsSignedIn(page, origin())).toContain("Grace Hopper")
    await page.goto(`${origin()}/account`)
    await remove().click()
    expect(await page.getByRole("status").textContent()).toBe("That way to sign in was removed.")
    expect(await remove().count()).toBe(0)
  })

  it("adds a provider, which then leads to the same user", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    const id = await page.locator("dd code").textContent()
    await page.getByRole("button", { name: "Add Demo ID" }).click()
    await choosePerson(page, "Grace Hopper")
    expect(page.url()).toBe(`${origin()}/account`)
    expect(await remove().count()).toBe(1)
    await visitor.clearCookies()
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    expect(await page.locator("dd code").textContent()).toBe(id)
  })

  it("signs out everywhere else and stays signed in here", async () => {
    const elsewhere = await (await stage.visitor()).newPage()
    for (const tab of [elsewhere, page]) {
      await openSignIn(tab, origin())
      await signInWithPassword(tab)
    }
    const badges = page.getByText("This browser", { exact: true })
    expect(await page.getByRole("listitem").filter({ hasText: "Session" }).count()).toBe(2)
    expect(await badges.count()).toBe(1)
    await page.getByRole("button", { name: "Sign out everywhere else" }).click()
    expect(await page.getByRole("listitem").filter({ hasText: "Session" }).count()).toBe(1)
    expect(await readWhoIsSignedIn(page, origin())).toContain("Ada Lovelace")
    expect(await readWhoIsSignedIn(elsewhere, origin())).toContain("Nobody is signed in")
  })

  it("shows the session as JSON, without its token", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    await page.getByText("The session as the app sees it").click()
    const shown: unknown = JSON.parse((await page.locator("details pre").textContent()) ?? "")
    expect(shown).toMatchObject({ user: { name: "Ada Lovelace", email: "ada@demo.example" } })
    const token = (await visitor.cookies(origin())).find(({ name }) => name === "authjs.session-token")?.value
    expect(token).toBeTruthy()
    expect(JSON.stringify(shown)).not.toContain(token)
  })
})
