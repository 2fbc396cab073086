import { AxeBuilder } from "@axe-core/playwright"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium } from "./chromium.js"
import { openSignInQuietly, signInButton, signUpWithPasskey } from "./passkey-steps.js"
import { askForLink, openSignIn, signInWithPassword } from "./sign-in-steps.js"
import { browserTestOptions, openStage, type Stage } from "./stage.js"
import { addVirtualDevice } from "./virtual-device.js"

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]

/** Every page twice, each read by axe, on machines that have other work too. */
const timeout = 2 * browserTestOptions.timeout

describe.skipIf(!hasChromium)("the demo's pages", { timeout }, () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterAll(() => stage.close())

  it("have an icon where browsers look for one, on the service's pages too", async () => {
    const answer = await fetch(`${stage.demo().origin}/favicon.ico`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("image/svg+xml")])
  })

  describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
    it("are without a finding of axe, fit 320 pixels, and break no content security policy", async () => {
      const visitor = await stage.visitor({ colorScheme, viewport: { width: 320, height: 700 } })
      const page = await visitor.newPage()
      const complaints = listenForComplaints(page)
      await addVirtualDevice(page)
      for (const [name, open] of Object.entries(openers(page, visitor, stage))) {
        await open()
        expect({ name, findings: await findingsOf(page) }).toEqual({ name, findings: [] })
        expect({ name, overflow: await overflowOf(page) }).toEqual({ name, overflow: 0 })
      }
      expect(complaints).toEqual([])
      await visitor.close()
    })
  })
})

/** Every page, in an order in which each can be reached. */
function openers(page: Page, visitor: BrowserContext, stage: Stage): Record<string, () => Promise<unknown>> {
  const { origin, identityProviderOrigin } = stage.demo()
  return {
    home: () => page.goto(origin),
    signIn: () => openSignIn(page, origin),
    signInWithoutPasskey: async () => {
      await openSignInQuietly(page, origin)
      await page.getByText("New here?").click()
      await signInButton(page).click()
      await page.getByRole("alert").waitFor()
    },
    checkEmail: () => askForLink(page, "hedy@example.com"),
    inbox: async () => {
      await page.goto(`${origin}/inbox`)
      expect(await page.locator("iframe").getAttribute("title")).toContain("Content of the mail")
    },
    mailContent: async () => {
      const answer = await visitor.request.get(origin + (await page.locator("iframe").getAttribute("src")))
      // Away from the inbox first, whose policy would hold for what replaces it.
      await page.goto("about:blank")
      await page.setContent(await answer.text())
    },
    notFound: () => page.goto(`${origin}/nowhere`),
    identityProviderLogin: async () => {
      await openSignIn(page, origin)
      await page.getByRole("button", { name: "Sign in with Demo ID" }).click()
      expect(new URL(page.url()).origin).toBe(identityProviderOrigin)
    },
    identityProviderComplaint: () => page.getByRole("button", { name: "Continue" }).click(),
    account: async () => {
      await openSignIn(page, origin)
      await signInWithPassword(page)
      await page.getByText("The session as the app sees it").click()
    },
    accountWithOnlyPasskey: async () => {
      await visitor.clearCookies()
      await openSignInQuietly(page, origin)
      await signUpWithPasskey(page, `${Math.random()}@example.com`)
      await page.waitForURL(`${origin}/account`)
    },
    accountWithNamedPasskey: async () => {
      await page.getByLabel("Name of this passkey").fill("A-laptop-with-a-name-that-is-longer-than-a-narrow-page-is")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("status").waitFor()
    },
    accountWithSamePasskeyAgain: async () => {
      await page.getByRole("button", { name: "Add another passkey" }).click()
      await page.getByRole("alert").waitFor()
    },
    homeSignedIn: () => page.goto(origin),
    signOut: () => page.goto(`${origin}/auth/signout`),
    emptied: () => visitor.clearCookies(),
  }
}

async function findingsOf(page: Page): Promise<string[]> {
  // The frame with a mail's markup runs no scripts, axe's neither; it is shown on its own instead.
  const { violations } = await new AxeBuilder({ page }).exclude("iframe").withTags(rules).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

function listenForComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  return complaints
}
