import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"
import { hasChromium } from "./chromium.js"
import { addVirtualDevice, browserTestOptions, openStage, type Stage } from "./stage.js"
import {
  openSignIn,
  openSignInWithoutAutofill,
  requestLink,
  signInButton,
  signInWithPassword,
  signUpWithPasskey,
} from "./steps.js"

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
      await page.getByText("New here? Create a passkey").click()
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
    account: async () => {
      await openSignIn(page, origin)
      await signInWithPassword(page)
      await page.getByText("The session object in the app").click()
    },
    accountWithOnlyPasskey: async () => {
      await context.clearCookies()
      await openSignInWithoutAutofill(page, origin)
      await signUpWithPasskey(page, `${Math.random()}@example.com`)
      await page.waitForURL(`${origin}/account`)
    },
    accountWithNamedPasskey: async () => {
      await page.getByLabel("Passkey name").fill("A-laptop-with-a-name-that-is-longer-than-a-narrow-page-is")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("status").waitFor()
    },
    accountWithSamePasskeyAgain: async () => {
      await page.getByRole("button", { name: "Add another passkey" }).click()
      await page.getByRole("alert").waitFor()
    },
    homeSignedIn: () => page.goto(origin),
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
