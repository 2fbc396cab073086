import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "./chromium.js"
import { openPasskeyHost, type PasskeyHost } from "./passkey-host.js"
import { openSignInQuietly, signInButton, signUpWithPasskey } from "./passkey-steps.js"
import { openSignIn } from "./sign-in-steps.js"
import { browserTestOptions } from "./stage.js"
import { addVirtualDevice, type VirtualDevice } from "./virtual-device.js"

describe.skipIf(!hasChromium).each(["jwt", "database"] as const)(
  "passkeys with sessions of the strategy %s",
  browserTestOptions,
  (strategy) => {
    let browser: Browser
    let host: PasskeyHost
    let visitor: BrowserContext
    let page: Page
    let device: VirtualDevice

    beforeAll(async () => {
      browser = await launchChromium()
    }, browserTestOptions.timeout)
    afterAll(() => browser.close())
    beforeEach(async () => {
      host = await openPasskeyHost({ session: { strategy } })
      visitor = await browser.newContext()
      page = await visitor.newPage()
      device = await addVirtualDevice(page)
    })
    afterEach(async () => {
      await visitor.close()
      await host.close()
    })

    const arrive = (): Promise<void> => page.waitForURL(`${host.origin}/`)
    const whoIsIn = async (): Promise<unknown> => (await visitor.request.get(`${host.origin}/auth/session`)).json()

    it("let nobody in whom the device does not recognise", async () => {
      await openSignInQuietly(page, host.origin)
      await device.recognise(false)
      await signUpWithPasskey(page, "ada@example.com")
      expect(await page.getByRole("alert").textContent()).toContain("That was cancelled")
      expect(await whoIsIn()).toBeNull()
    })

    it("sign up, out, and in again, by the button and in the autofill", async () => {
      await openSignInQuietly(page, host.origin, "/")
      await signUpWithPasskey(page, "ada@example.com")
      await arrive()
      expect(await whoIsIn()).toMatchObject({ user: { email: "ada@example.com" } })
      await page.goto(`${host.origin}/auth/signout`)
      await page.getByRole("button", { name: "Sign out" }).click()
      expect(await whoIsIn()).toBeNull()
      await openSignInQuietly(page, host.origin, "/")
      await signInButton(page).click()
      await arrive()
      expect(await whoIsIn()).toMatchObject({ user: { email: "ada@example.com" } })
      await visitor.clearCookies()
      await openSignIn(page, host.origin, "/")
      await arrive()
      expect(await whoIsIn()).toMatchObject({ user: { email: "ada@example.com" } })
    })

    it("sign in by the address where the provider does not ask that the passkey says whose it is", async () => {
      await openSignInQuietly(page, host.origin, "/")
      const form = page.locator("#webauthn-form")
      await form.getByLabel("Email").fill("grace@example.com")
      await form.getByRole("button", { name: "Create a passkey" }).click()
      await arrive()
      expect(await whoIsIn()).toMatchObject({ user: { email: "grace@example.com" } })
      await visitor.clearCookies()
      await openSignInQuietly(page, host.origin, "/")
      await form.getByLabel("Email").fill("grace@example.com")
      await form.getByLabel("Email").press("Enter")
      await arrive()
      expect(await whoIsIn()).toMatchObject({ user: { email: "grace@example.com" } })
    })
  },
)
