import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, openStage, type Stage, useVisits } from "../stage.js"
import { expectSignedOut, openSignIn, readCurrentSession, signInWithDemoId } from "../steps.js"

describe.skipIf(!hasChromium)("signing out of Demo ID", browserTestOptions, () => {
  let stage: Stage
  let context: BrowserContext
  let page: Page
  const origin = (): string => stage.demo().origin
  const provider = (): string => stage.demo().identityProviderOrigin

  /** The cookie of the session at the provider. Cookies do not tell ports apart. */
  const providerSession = async (own: BrowserContext) =>
    (await own.cookies(`${provider()}/session/end`)).find(({ name }) => name === "_session")

  useVisits(openStage, (visit) => {
    ;({ stage, context, page } = visit)
  })

  it.each([true, false])(
    "goes from the app to Demo ID and back, and ends both sessions (JavaScript: %s)",
    async (script) => {
      const own = await (await stage.newContext({ javaScriptEnabled: script })).newPage()
      await openSignIn(own, origin())
      await signInWithDemoId(own, "Grace Hopper")
      await own.goto(origin())
      await own.getByRole("button", { name: "Sign out here and of Demo ID" }).click()
      expect(new URL(own.url()).origin + new URL(own.url()).pathname).toBe(`${provider()}/session/end`)
      // The local session is over before the user answers.
      await expectSignedOut(await own.context().newPage(), origin())
      await own.getByRole("button", { name: "Yes, sign out" }).click()
      await own.waitForURL(`${origin()}/`)
      expect(await providerSession(own.context())).toBeUndefined()
      await own.context().close()
    },
  )

  it("ends the app's session of this browser, and not that of another one, when it begins at Demo ID", async () => {
    const other = await (await stage.newContext()).newPage()
    for (const tab of [page, other]) {
      await openSignIn(tab, origin())
      await signInWithDemoId(tab, "Grace Hopper")
    }
    await page.goto(provider())
    await page.getByRole("link", { name: "Sign out of Demo ID" }).click()
    await page.getByRole("button", { name: "Yes, sign out" }).click()
    expect(await page.getByRole("heading").textContent()).toBe("You are signed out of Demo ID")
    await expectSignedOut(page, origin())
    expect(await readCurrentSession(other, origin())).toContain("Signed in as Grace Hopper")
    await other.context().close()
  })

  it("stays signed in when the user answers no at Demo ID's own page", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    await page.goto(`${provider()}/session/end`)
    await page.getByRole("button", { name: "No, stay signed in" }).click()
    expect(await readCurrentSession(page, origin())).toContain("Signed in as Grace Hopper")
  })

  it("ends the app's session alone by the ordinary sign-out", async () => {
    await openSignIn(page, origin())
    await signInWithDemoId(page, "Grace Hopper")
    await page.goto(`${origin()}/auth/signout?callbackUrl=%2F`)
    await page.getByRole("button", { name: "Sign out" }).click()
    expect(page.url()).toBe(`${origin()}/`)
    await expectSignedOut(page, origin())
    expect(await providerSession(context)).toBeDefined()
  })
})
