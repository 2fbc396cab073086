import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { addVirtualDevice, browserTestOptions, openStage, type Stage } from "../stage.js"
import {
  newPasskey,
  openSignIn,
  openSignInWithoutAutofill,
  requestLink,
  signInButton,
  signInWithPassword,
} from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

/** Every page twice, each checked by axe. */
const timeout = 2 * browserTestOptions.timeout

describe.skipIf(!hasChromium)("the demo's pages", { timeout }, () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())

  it("serve a favicon", async () => {
    const answer = await fetch(`${stage.demo().origin}/favicon.ico`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("image/svg+xml")])
  })

  describe.each(["light", "dark"] as const)("in the %s color scheme", (colorScheme) => {
    it("pass axe, fit into 320 pixels, and do not violate their content security policy", async () => {
      const context = await stage.newContext({ colorScheme, viewport: { width: 320, height: 700 } })
      const page = await context.newPage()
      const violations = listenForViolations(page)
      await addVirtualDevice(page)
      for (const [name, open] of Object.entries(openers(page, context, stage))) {
        await open()
        expect({ name, findings: await findAccessibilityFaults(page) }).toEqual({ name, findings: [] })
        expect({ name, overflow: await readOverflow(page) }).toEqual({ name, overflow: 0 })
      }
      expect(violations).toEqual([])
      await context.close()
    })
  })
})

/** Opens every page, in an order in which each can be reached. */
function openers(page: Page, context: BrowserContext, stage: Stage): Record<string, () => Promise<unknown>> {
  const { origin, identityProviderOrigin } = stage.demo()
  return {
    home: () => page.goto(origin),
    signIn: () => openSignIn(page, origin),
    signInWithError: async () => {
      await openSignInWithoutAutofill(page, origin)
      await newPasskey(page).click()
      await signInButton(page).click()
      await page.getByRole("alert").waitFor()
    },
    checkEmail: () => requestLink(page, "hedy@example.com"),
    inbox: async () => {
      await page.goto(`${origin}/inbox`)
      expect(await page.locator("iframe").getAttribute("title")).toContain("Content of the mail")
    },
    mailContent: async () => {
      const answer = await context.request.get(origin + (await page.locator("iframe").getAttribute("src")))
      // Leave the inbox first: its policy would apply to the new content.
      await page.goto("about:blank")
      await page.setContent(await answer.text())
    },
    notFound: () => page.goto(`${origin}/nowhere`),
    identityProviderLogin: async () => {
      await openSignIn(page, origin)
      await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
      expect(new URL(page.url()).origin).toBe(identityProviderOrigin)
    },
    identityProviderError: () => page.getByRole("button", { name: "Continue" }).click(),
    statement: async () => {
      await openSignInWithoutAutofill(page, origin)
      await signInWithPassword(page)
      await page.goto(`${origin}/statement`)
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("A page that asks again")
    },
    homeSignedIn: async () => {
      await page.goto(origin)
      await page.getByText("The session object in the app").click()
    },
    signOut: () => page.goto(`${origin}/auth/signout`),
    signedOut: () => context.clearCookies(),
  }
}

function listenForViolations(page: Page): string[] {
  const violations: string[] = []
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text())
  })
  page.on("pageerror", (error) => violations.push(error.message))
  return violations
}
