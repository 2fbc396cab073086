import type { BrowserContext, Page } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { addVirtualDevice, browserTestOptions, type Stage } from "../stage.js"
import { codesOf, openSignIn, signInButton, signInWithPassword, takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

/** Each page is checked by axe, and codes have to be waited for. */
const timeout = 3 * browserTestOptions.timeout

/** Second factors, from their setup to their removal. */
export function testSecondStep(openStage: () => Promise<Stage>): void {
  describe("the second step", { timeout }, () => {
    let stage: Stage
    const origin = (): string => stage.demo().origin

    beforeEach(async () => {
      stage = await openStage()
    }, browserTestOptions.timeout)
    afterEach(() => stage.close())

    type Inspect = (page: Page, name: string) => Promise<void>

    async function check(page: Page, name: string): Promise<void> {
      await takePicture(page, name)
      expect({ name, findings: await findAccessibilityFaults(page) }).toEqual({ name, findings: [] })
      expect({ name, overflow: await readOverflow(page) }).toEqual({ name, overflow: 0 })
    }

    const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent()

    /** Sets up an authenticator app for the user who is signed in. */
    async function setUp(page: Page, inspect: Inspect = check): Promise<() => Promise<string>> {
      await page.goto(`${origin()}/auth/account/factors`)
      await page.getByRole("button", { name: "Set up an authenticator app" }).click()
      expect(await heading(page)).toBe("Set up two-step verification")
      const secret = ((await page.locator("main code").first().textContent()) ?? "").replaceAll(" ", "")
      const nextCode = codesOf(secret)
      await inspect(page, "set-up")
      await page.reload()
      expect((await page.locator("main code").first().textContent())?.replaceAll(" ", "")).toBe(secret)
      const back = page.getByRole("link", { name: "Back to your account" })
      expect(await back.getAttribute("href")).toBe(`${origin()}/auth/account`)
      await page.getByLabel("Code").fill(await nextCode())
      await page.getByRole("button", { name: "Continue" }).click()
      expect(await heading(page)).toBe("Save your recovery codes")
      await inspect(page, "recovery-codes")
      await page.reload()
      expect(await heading(page)).toBe("Save your recovery codes")
      await page.getByRole("button", { name: "I have saved them" }).click()
      expect(page.url()).toBe(`${origin()}/auth/account/factors?done=added`)
      return nextCode
    }

    async function give(page: Page, code: string): Promise<void> {
      await page.getByLabel("Code").first().fill(code)
      await page.getByRole("button", { name: "Continue" }).first().click()
    }

    async function signOut(page: Page): Promise<void> {
      await page.goto(`${origin()}/auth/signout`)
      await page.getByRole("button", { name: "Sign out" }).click()
    }

    const looks = [
      ["light", false],
      ["dark", true],
    ] as const

    it.each(looks)("is set up, asked for, confirmed and removed (%s, scripts: %s)", async (colorScheme, hasScripts) => {
      const context = await stage.newContext({
        colorScheme,
        javaScriptEnabled: hasScripts,
        viewport: { width: 320, height: 720 },
      })
      const page = await context.newPage()
      const inspect = hasScripts ? check : async () => {}
      await openSignIn(page, origin())
      await signInWithPassword(page)
      const nextCode = await setUp(page, inspect)
      await inspect(page, "factors")
      await signOut(page)

      await openSignIn(page, origin())
      await signInWithPassword(page)
      expect(await heading(page)).toBe("Enter your code")
      await inspect(page, "second-factor")
      await page.getByLabel("Do not ask again on this device").check()
      await give(page, await nextCode())
      expect(new URL(page.url()).pathname).toBe("/auth/account")
      await signOut(page)
      await openSignIn(page, origin())
      await signInWithPassword(page)
      expect(new URL(page.url()).pathname).toBe("/auth/account")

      await page.goto(`${origin()}/statement`)
      expect(await heading(page)).toBe("Confirm it’s you")
      expect(await page.getByText("One more step").count()).toBe(1)
      await inspect(page, "confirm-second")
      await give(page, "000000")
      expect(await page.getByRole("alert").first().textContent()).toContain("That code did not work")
      await inspect(page, "confirm-wrong")
      await give(page, await nextCode())
      expect(await heading(page)).toBe("A page that asks again")
      expect(await page.getByRole("region", { name: "What you proved" }).textContent()).toContain("otp, pwd")
      await inspect(page, "statement")
      await page.goto(`${origin()}/auth/account/factors`)
      await page.getByRole("link", { name: "Remove Authenticator app" }).click()
      expect(await heading(page)).toBe("Remove Authenticator app?")
      await inspect(page, "remove-app")
      await page.reload()
      await page.getByRole("button", { name: "Remove" }).click()
      expect(await page.getByRole("status").textContent()).toContain("Verification method removed.")
      await context.close()
    })

    it("asks again for a password, in a browser that forgot its proof", async () => {
      const context = await stage.newContext({ viewport: { width: 320, height: 720 } })
      const page = await context.newPage()
      await addVirtualDevice(page)
      await openSignIn(page, origin())
      await signInWithPassword(page)
      await forgetProof(context)
      await page.goto(`${origin()}/statement`)
      expect(await heading(page)).toBe("Confirm it’s you")
      await check(page, "confirm-first")
      await page.getByLabel("Password").fill("wrong")
      await page.getByRole("button", { name: "Confirm with password" }).click()
      expect(await page.getByRole("alert").first().textContent()).toContain("That did not work")
      await check(page, "confirm-wrong-password")
      await page.getByLabel("Password").fill("lovelace-in-1843")
      await page.getByRole("button", { name: "Confirm with password" }).click()
      expect(await heading(page)).toBe("A page that asks again")
      await context.close()
    })

    it("is a passkey, at the code's page and at the page that asks again", async () => {
      const context = await stage.newContext({ colorScheme: "dark", viewport: { width: 320, height: 720 } })
      const page = await context.newPage()
      const device = await addVirtualDevice(page)
      await openSignIn(page, origin())
      await signInWithPassword(page)
      await page.goto(`${origin()}/auth/account/passkeys`)
      await page.getByRole("button", { name: "Add a passkey" }).click()
      await page.getByRole("status").waitFor()
      await setUp(page)
      // Otherwise the autofill of the sign-in page, to which the sign-out leads, would sign in.
      await device.setResponsive(false)
      await signOut(page)
      await openSignIn(page, origin())
      await signInWithPassword(page)
      expect(await heading(page)).toBe("Enter your code")
      await device.setResponsive(true)
      await check(page, "second-factor-passkey")
      await signInButton(page).click()
      await page.waitForURL(`${origin()}/auth/account`)
      await forgetProof(context)
      await page.goto(`${origin()}/statement`)
      await check(page, "confirm-passkey")
      await signInButton(page).click()
      await page.getByRole("heading", { level: 1, name: "A page that asks again" }).waitFor()
      expect(await page.getByRole("region", { name: "What you proved" }).textContent()).toContain("Level3")
      await context.close()
    })
  })
}

/** As after a long time. */
async function forgetProof(context: BrowserContext): Promise<void> {
  await context.clearCookies({ name: /authjs\.proof$/ })
}
