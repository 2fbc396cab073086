import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, useStage } from "../stage.js"
import { codesOf, readNewestCode, takePicture } from "../steps.js"

const password = "grey lantern over water"
const newPassword = "nine herons by the mill"

describe.skipIf(!hasChromium)("an account on a phone", { timeout: 2 * browserTestOptions.timeout }, () => {
  const stage = useStage()

  it.each([true, false])("is lost and found again, by what the pages say alone (scripts: %s)", async (hasScripts) => {
    const { origin } = stage().demo()
    const address = `newcomer-${hasScripts}@demo.example`
    const context = await stage().newContext({ javaScriptEnabled: hasScripts, viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    let count = 0
    const shot = (name: string) => takePicture(page, `found-${hasScripts}-${String(++count).padStart(2, "0")}-${name}`)
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
    const follow = (name: string) => page.getByRole("link", { name, exact: true }).click()
    async function typeMailedCode(): Promise<void> {
      const inbox = await stage().newContext()
      await page.getByLabel("Code").fill(await readNewestCode(await inbox.newPage(), origin, address))
      await inbox.close()
    }
    async function sayWho(): Promise<void> {
      await page.goto(`${origin}/auth/signin?callbackUrl=/auth/account`)
      await page
        .locator("form", { has: page.getByRole("button", { name: "Continue" }) })
        .getByLabel("Email")
        .fill(address)
      await press("Continue")
    }
    async function signOut(): Promise<void> {
      await page.goto(`${origin}/auth/account`)
      await follow("Sign out")
      await press("Sign out")
    }

    // A new user.
    await sayWho()
    await follow("New here? Create an account")
    await page.getByLabel("Password", { exact: true }).fill(password)
    await shot("sign-up")
    await press("Create account")
    await typeMailedCode()
    await shot("confirm")
    await press("Create account")
    await page.waitForURL((url) => !url.pathname.includes("password"))

    // Protects the account.
    const first = await setUpApp(page, origin, shot)
    const codes = await page.locator("#recovery-codes code").allTextContents()
    const [download] = await Promise.all([page.waitForEvent("download"), press("Download")])
    expect(download.suggestedFilename()).toMatch(/\.txt$/)
    await press("I have saved them")
    await follow("Your account")
    await shot("protected")
    await signOut()

    // Loses the phone, and has the codes.
    await sayWho()
    await page.getByLabel("Password", { exact: true }).fill(password)
    await press("Sign in")
    await follow("Use a recovery code instead")
    await page.getByLabel("Recovery code").fill(codes[0] ?? "")
    await shot("recovery")
    await press("Continue")
    await page.waitForURL(/\/auth\/account/)
    const second = await setUpApp(page, origin, shot)
    await page.goto(`${origin}/auth/account/factors`)
    // The list begins with the oldest.
    await page
      .getByRole("link", { name: /^Remove Authenticator app \(Set up: / })
      .first()
      .click()
    await shot("which-app")
    await press("Remove")
    await page.waitForURL(/done=removed/)
    await shot("old-phone-removed")
    await signOut()

    // Loses the password, and has the new phone.
    await sayWho()
    await follow("Forgot password?")
    await press("Send email")
    await typeMailedCode()
    await page.getByLabel("New password").fill(newPassword)
    await shot("reset")
    await press("Save password")
    await page.getByLabel("Code").fill(await second())
    await shot("new-phone")
    await press("Continue")
    await page.waitForURL((url) => !url.pathname.includes("second-factor"))
    await page.goto(`${origin}/auth/account`)
    expect(await page.getByRole("main").textContent()).toContain(address)
    await shot("found")
    expect(await first()).not.toBe(await second())
    await context.close()
  })
})

/** Sets up an authenticator app. Returns its codes. */
async function setUpApp(page: Page, origin: string, shot: (name: string) => Promise<void>) {
  await page.goto(`${origin}/auth/account`)
  await page
    .getByRole("link", { name: /^Two-step verification/ })
    .last()
    .click()
  await page.getByRole("button", { name: "Set up an authenticator app" }).click()
  await page.getByRole("link", { name: "Open an authenticator app on this device" }).waitFor()
  const secret = ((await page.locator("main code").first().textContent()) ?? "").replaceAll(" ", "")
  const nextCode = codesOf(secret)
  await page.getByLabel("Code from the app").fill(await nextCode())
  await shot("set-up")
  await page.getByRole("button", { name: "Continue" }).click()
  await page.waitForLoadState()
  return nextCode
}
