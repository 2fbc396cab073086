import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { findAccessibilityFaults, readOverflow } from "./browser/accessibility.js"
import { hasChromium } from "./chromium.js"
import { addVirtualDevice, browserTestOptions, openStage, type Stage } from "./stage.js"
import {
  codesOf,
  expectSignedOut,
  openNewestLink,
  openSignIn,
  openSignInWithoutAutofill,
  readCurrentSession,
  readNewestCode,
  requestLink,
  signInButton,
  signInWithDemoId,
  signInWithPassword,
  signUpWithPasskey,
} from "./steps.js"

// One journey of each kind. `npm run test:browser` has all of them, in every language, with scripts and without.

describe.skipIf(!hasChromium)("the demo in a browser", browserTestOptions, () => {
  let stage: Stage
  let context: BrowserContext
  let page: Page
  const origin = (): string => stage.demo().origin
  const heading = () => page.getByRole("heading", { level: 1 }).textContent()

  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage.close())
  beforeEach(async () => {
    context = await stage.newContext()
    page = await context.newPage()
  })
  afterEach(() => context.close())

  async function give(code: string): Promise<void> {
    await page.getByLabel("Code").first().fill(code)
    await page.getByRole("button", { name: "Continue" }).first().click()
  }

  it("signs in through the identity provider without scripts, and out", async () => {
    const plain = await (await stage.newContext({ javaScriptEnabled: false })).newPage()
    await openSignIn(plain, origin())
    await signInWithDemoId(plain, "Grace Hopper")
    expect(plain.url()).toBe(`${origin()}/auth/account`)
    expect(await readCurrentSession(plain, origin())).toContain("Signed in as Grace Hopper")
    await plain.getByRole("link", { name: "Sign out" }).first().click()
    await plain.getByRole("button", { name: "Sign out" }).click()
    await expectSignedOut(plain, origin())
    await plain.context().close()
  })

  it("signs in with an email link that arrives in the inbox over SMTP", async () => {
    await openSignIn(page, origin())
    await requestLink(page, "hedy@example.com")
    expect(page.url()).toContain("/check-email")
    await openNewestLink(page, origin())
    expect(await readCurrentSession(page, origin())).toContain("hedy@example.com")
  })

  it("rejects a wrong password, and then accepts the right one", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page, "lovelace-in-1844")
    expect(await page.getByRole("alert").textContent()).toContain("That sign-in did not work.")
    await expectSignedOut(page, origin())
    await openSignIn(page, origin())
    await signInWithPassword(page)
    expect(await readCurrentSession(page, origin())).toContain("Signed in as Ada Lovelace")
  })

  it("signs up with a passkey, and signs in with it", async () => {
    await addVirtualDevice(page)
    await openSignInWithoutAutofill(page, origin())
    await signUpWithPasskey(page, "lamarr@example.com")
    await page.waitForURL(`${origin()}/auth/account`)
    await context.clearCookies()
    await openSignInWithoutAutofill(page, origin())
    await signInButton(page).click()
    await page.waitForURL(`${origin()}/auth/account`)
    expect(await readCurrentSession(page, origin())).toContain("lamarr@example.com")
  })

  it("changes the email address by a code that arrives at the new one", async () => {
    await openSignIn(page, origin())
    await requestLink(page, "old@example.com")
    await openNewestLink(page, origin())
    await page.goto(`${origin()}/auth/account/email`)
    await page.getByLabel("New address").fill("new@example.com")
    await page.getByRole("button", { name: "Send email" }).click()
    const inbox = await context.newPage()
    await page.getByLabel("Code").fill(await readNewestCode(inbox, origin(), "new@example.com"))
    await page.getByRole("button", { name: "Change address" }).click()
    expect(await page.getByRole("status").first().textContent()).toContain("Your address was changed.")
    expect(await readCurrentSession(page, origin())).toContain("new@example.com")
  })

  it("sets up a second step, and asks for it at the next sign-in", async () => {
    await openSignIn(page, origin())
    await signInWithPassword(page)
    await page.goto(`${origin()}/auth/account/factors`)
    await page.getByRole("button", { name: "Set up an authenticator app" }).click()
    expect(await heading()).toBe("Set up two-step verification")
    const nextCode = codesOf(((await page.locator("main code").first().textContent()) ?? "").replaceAll(" ", ""))
    await give(await nextCode())
    expect(await heading()).toBe("Save your recovery codes")
    await page.reload()
    await page.getByRole("button", { name: "I have saved them" }).click()
    expect(await page.getByRole("status").textContent()).toContain("Two-step verification is set up.")
    await context.clearCookies()
    await openSignIn(page, origin())
    await signInWithPassword(page)
    expect(await heading()).toBe("Enter your code")
    await expectSignedOut(page, origin())
    await page.goBack()
    await give(await nextCode())
    expect(await readCurrentSession(page, origin())).toContain("Signed in as Ada Lovelace")
  })

  it("shows a right-to-left page that passes axe and fits into 320 pixels", async () => {
    const arabic = await stage.newContext({ locale: "ar", viewport: { width: 320, height: 720 } })
    const small = await arabic.newPage()
    await openSignIn(small, origin())
    const html = small.locator("html")
    expect([await html.getAttribute("lang"), await html.getAttribute("dir")]).toEqual(["ar", "rtl"])
    expect(await findAccessibilityFaults(small)).toEqual([])
    expect(await readOverflow(small)).toBe(0)
    await arabic.close()
  })
})
