import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { demoUser } from "../../src/app/auth-config.js"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, openStage, type Stage } from "../stage.js"
import { openSignIn, signInWithPassword } from "../steps.js"

/** More than any page has. */
const maxStops = 40

describe.skipIf(!hasChromium)("by keyboard alone", browserTestOptions, () => {
  let stage: Stage
  let context: BrowserContext
  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())
  afterEach(() => context.close())

  /** Presses Tab until the element with this name has the focus, which has to be visible at every stop. */
  async function tabTo(page: Page, name: string): Promise<void> {
    const stops: string[] = []
    for (let n = 0; n < maxStops; n++) {
      await page.keyboard.press("Tab")
      const stop = await page.evaluate(readFocus)
      stops.push(stop.name)
      expect(stop).toEqual({ name: stop.name, isVisible: true })
      if (stop.name === name) return
    }
    throw new Error(`${name} is not among ${stops.join(", ")}`)
  }

  it.each([
    ["with scripts", true],
    ["without scripts", false],
  ])("a person signs in, changes their name and ends another session, %s", async (_, javaScriptEnabled) => {
    const { origin } = stage.demo()
    const other = await stage.newContext()
    const otherPage = await other.newPage()
    await openSignIn(otherPage, origin)
    await signInWithPassword(otherPage)

    context = await stage.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await openSignIn(page, origin)
    await tabTo(page, "Email")
    await page.keyboard.type(demoUser.email)
    await tabTo(page, "Continue")
    await page.keyboard.press("Enter")
    await page.waitForURL(/step=2/)
    // The page puts the focus where the person has to type.
    await expect.poll(() => page.evaluate(readFocus)).toEqual({ name: "Password", isVisible: true })
    await page.keyboard.type(demoUser.password)
    await tabTo(page, "Sign in")
    await page.keyboard.press("Space")
    await page.waitForURL(`${origin}/auth/account`)

    await tabTo(page, "Profile")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/profile/)
    await tabTo(page, "Name")
    // What is in a field is selected by Tab, so that typing replaces it.
    await page.keyboard.type("Ada King")
    await tabTo(page, "Save")
    await page.keyboard.press("Space")
    await page.waitForURL(/done=saved/)
    expect(await page.getByRole("status").textContent()).toBe("Your profile was saved.")
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada King")

    // The navigation is at the beginning of the page.
    await tabTo(page, "Devices and sessions")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/sessions/)
    await tabTo(page, "Sign out everywhere else")
    await page.keyboard.press("Enter")
    await page.waitForURL(/step=end-others/)
    await tabTo(page, "Sign out everywhere else")
    await page.keyboard.press("Enter")
    await page.waitForURL(/done=others/)
    await otherPage.goto(`${origin}/auth/account`)
    expect(new URL(otherPage.url()).pathname).toBe("/auth/signin")
    await other.close()
  })
})

/** Runs in the page. The name of what has the focus, and whether a ring of at least two pixels shows it. */
function readFocus(): { name: string; isVisible: boolean } {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement)) return { name: "", isVisible: false }
  const label = focused instanceof HTMLInputElement ? focused.labels?.[0]?.textContent : undefined
  const title = focused.querySelector(".account-title")?.textContent
  const { outlineStyle, outlineWidth } = getComputedStyle(focused)
  const { width, height } = focused.getBoundingClientRect()
  return {
    name: (label ?? title ?? focused.ariaLabel ?? focused.textContent).trim(),
    isVisible: outlineStyle === "solid" && Number.parseFloat(outlineWidth) >= 2 && width > 0 && height > 0,
  }
}
