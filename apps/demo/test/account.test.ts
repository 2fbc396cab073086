import type { BrowserContext, Page } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { hasChromium } from "./chromium.js"
import { browserTestOptions, openStage, type Stage } from "./stage.js"
import {
  choosePerson,
  openNewestLink,
  openSignIn,
  readCurrentSession,
  requestLink,
  signInWithDemoId,
  signInWithPassword,
} from "./steps.js"

const phone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1"

describe.skipIf(!hasChromium)("the account page", browserTestOptions, () => {
  let stage: Stage
  let context: BrowserContext
  let page: Page
  const origin = (): string => stage.demo().origin
  const remove = () => page.getByRole("button", { name: "Remove Demo ID account" })

  beforeEach(async () => {
    stage = await openStage()
    context = await stage.newContext()
    page = await context.newPage()
  }, browserTestOptions.timeout)
  afterEach(() => stage.close())

  it("keeps the only way to sign in", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    expect(await remove().count()).toBe(0)
    const account = await page.getByText("account", { exact: false }).allTextContents()
    const providerAccountId = account.join(" ").match(/[0-9a-f]{24}/)?.[0] ?? ""
    const answer = await context.request.post(`${origin()}/account/unlink`, {
      form: { provider: "demo-id", providerAccountId },
      headers: { origin: origin() },
    })
    expect(answer.url()).toBe(`${origin()}/account?done=kept`)
    expect(await answer.text()).toContain("Nothing was removed")
  })

  it("removes a linked account once the email address is verified", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    await openSignIn(page, origin())
    await requestLink(page, "grace@id.example")
    await openNewestLink(page, origin())
    expect(await readCurrentSession(page, origin())).toContain("Grace Hopper")
    await page.goto(`${origin()}/account`)
    await remove().click()
    expect(await page.getByRole("status").textContent()).toBe("That way to sign in was removed.")
    expect(await remove().count()).toBe(0)
  })

  it("links an account that then signs in the same user", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    const id = await page.locator("dd code").textContent()
    await page.getByRole("button", { name: "Add Demo ID" }).click()
    await choosePerson(page, "Grace Hopper")
    expect(page.url()).toBe(`${origin()}/account`)
    expect(await remove().count()).toBe(1)
    await context.clearCookies()
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    expect(await page.locator("dd code").textContent()).toBe(id)
  })

  it("ends all other sessions and keeps the current one", async () => {
    const otherPage = await (await stage.newContext()).newPage()
    for (const tab of [otherPage, page]) {
      await openSignIn(tab, origin())
      await signInWithPassword(tab)
    }
    const sessions = page.getByRole("listitem").filter({ hasText: "last seen" })
    expect(await sessions.count()).toBe(2)
    expect(await page.getByText("This browser", { exact: true }).count()).toBe(1)
    await page.getByRole("button", { name: "Sign out everywhere else" }).click()
    expect(await sessions.count()).toBe(1)
    expect(await readCurrentSession(page, origin())).toContain("Ada Lovelace")
    expect(await readCurrentSession(otherPage, origin())).toContain("You are not signed in")
  })

  it.each([true, false])(
    "ends the session of another browser, which the list names (JavaScript: %s)",
    async (script) => {
      const lost = await (await stage.newContext({ userAgent: phone })).newPage()
      const own = await (await stage.newContext({ javaScriptEnabled: script })).newPage()
      for (const tab of [lost, own]) {
        await openSignIn(tab, origin())
        await signInWithPassword(tab)
      }
      const sessions = own.getByRole("listitem").filter({ hasText: "last seen" })
      expect(await sessions.allTextContents()).toEqual([
        expect.stringContaining("Chrome on Linux"),
        expect.stringContaining("Safari on iPhone"),
      ])
      await own.getByRole("button", { name: "End the session of Safari on iPhone" }).click()
      expect(await own.getByRole("status").textContent()).toBe("That session has ended.")
      expect(await sessions.count()).toBe(1)
      expect(await readCurrentSession(own, origin())).toContain("Ada Lovelace")
      expect(await readCurrentSession(lost, origin())).toContain("You are not signed in")
    },
  )

  it("shows the session as JSON, without its token", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    await page.getByText("The session object in the app").click()
    const shown: unknown = JSON.parse((await page.locator("details pre").textContent()) ?? "")
    expect(shown).toMatchObject({ user: { name: "Ada Lovelace", email: "ada@demo.example" } })
    const token = (await context.cookies(origin())).find(({ name }) => name === "authjs.session-token")?.value
    expect(token).toBeTruthy()
    expect(JSON.stringify(shown)).not.toContain(token)
  })
})
