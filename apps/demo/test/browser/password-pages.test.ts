import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, useStage } from "../stage.js"
import { countLoaded, press, readNewestCode, signInWithDemoId, takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

/** Each page is checked by axe. */
const timeout = 3 * browserTestOptions.timeout

const password = "grey lantern over water"
const newPassword = "nine herons by the mill"

/** What password managers of browsers read: the fields that a person sees, and those that name the account. */
type Fields = Readonly<Record<string, string>>
const readFields = (page: Page): Promise<Fields> =>
  page.locator("main form:has(input[type=password])").evaluate((form) => {
    const inputs = [...form.querySelectorAll<HTMLInputElement>("input[autocomplete]")]
    return Object.fromEntries(inputs.map((input) => [input.name, input.autocomplete]))
  })

describe.skipIf(!hasChromium)("the pages for passwords", { timeout }, () => {
  const stage = useStage()
  const origin = (): string => stage().demo().origin

  const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent()
  /** Reads the inbox in a browser of its own, so that the page stays. */
  async function withInbox<T>(read: (page: Page) => Promise<T>): Promise<T> {
    const context = await stage().newContext()
    const found = await read(await context.newPage())
    await context.close()
    return found
  }
  const readCode = (address: string) => withInbox((page) => readNewestCode(page, origin(), address))
  const readLink = (address: string) =>
    withInbox(async (page) => {
      await readNewestCode(page, origin(), address)
      return (await page.frameLocator("iframe").locator('a[href*="token="]').first().getAttribute("href")) ?? ""
    })

  it.each([
    ["light", true],
    ["dark", true],
    ["dark", false],
  ] as const)("pass axe, fit into 320 pixels and suit password managers (%s, scripts: %s)", async (...look) => {
    const [colorScheme, javaScriptEnabled] = look
    const address = `grace-${colorScheme}-${javaScriptEnabled}@demo.example`
    const newContext = () =>
      stage().newContext({ colorScheme, javaScriptEnabled, viewport: { width: 320, height: 720 } })
    const context: BrowserContext = await newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)

    async function check(name: string, title: string, fields: Fields, checked: Page = page): Promise<void> {
      await takePicture(checked, `${name}-${colorScheme}`)
      expect({ name, title: await heading(checked) }).toEqual({ name, title })
      // Axe is a script.
      const findings = javaScriptEnabled ? await findAccessibilityFaults(checked) : []
      expect({ name, findings }).toEqual({ name, findings: [] })
      expect({ name, overflow: await readOverflow(checked) }).toEqual({ name, overflow: 0 })
      const hasPassword = Object.values(fields).some((each) => each.endsWith("-password"))
      if (hasPassword) expect({ name, fields: await readFields(checked) }).toEqual({ name, fields })
    }

    const first = { email: "username", name: "name", password: "new-password" }
    await page.goto(`${origin()}/auth/password/sign-up`)
    await check("sign-up", "Create an account", first)
    await page.getByLabel("Email").fill(address)
    await page.getByLabel("Password", { exact: true }).fill("qwertyuiopasdfgh")
    await press(page)
    expect(await page.getByRole("alert").textContent()).toContain("easy to guess")
    await check("sign-up-refused", "Create an account", first)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await press(page)
    await check("sign-up-code", "Check your email", {})
    await page.getByLabel("Code").fill("000000")
    await press(page)
    expect(await countLoaded(page.getByRole("alert"))).toBe(1)
    await check("sign-up-wrong-code", "Check your email", {})

    const again = page.getByRole("button", { name: "Send a new code" })
    await again.click()
    await page.getByText("We sent a new email.").waitFor()
    await check("sign-up-sent-again", "Check your email", {})
    const waiting = page.locator("[data-wait]")
    expect(await waiting.textContent()).toMatch(/You can try again in \d+ seconds/)
    expect(await again.isDisabled()).toBe(javaScriptEnabled)
    const before = await waiting.textContent()
    if (javaScriptEnabled) await expect.poll(() => waiting.textContent()).not.toBe(before)
    else await again.click()
    expect(await countLoaded(page.getByText("You can try again in"))).toBe(1)

    const elsewhere = await (await newContext()).newPage()
    await elsewhere.goto(await readLink(address))
    await check("choose", "Choose a password", { account: "username", password: "new-password" }, elsewhere)
    await page.getByLabel("Code").fill(await readCode(address))
    await press(page)
    await page.waitForURL((url) => !url.pathname.includes("password"))

    await page.goto(`${origin()}/auth/password/change`)
    const change = { account: "username", current: "current-password", password: "new-password" }
    await check("change", "Change your password", change)
    await page.getByLabel("Current password").fill(password)
    await page.getByLabel("New password").fill(newPassword)
    await press(page)
    await page.getByText("Your password was changed").first().waitFor()
    await check("changed", "Change your password", {})

    await context.clearCookies()
    await page.goto(`${origin()}/auth/password/forgot`)
    await check("forgot", "Forgot your password?", {})
    await page.getByLabel("Email").fill(address)
    await press(page)
    const reset = { account: "username", password: "new-password" }
    await check("reset-code", "Choose a new password", { code: "one-time-code", ...reset })
    const code = await readCode(address)
    await elsewhere.goto(await readLink(address))
    await check("reset-link", "Choose a new password", reset, elsewhere)
    await elsewhere.getByLabel("New password").fill(password)
    await press(elsewhere)
    await elsewhere.waitForURL((url) => !url.pathname.includes("password"))
    await page.getByLabel("Code").fill(code)
    await page.getByLabel("New password").fill(newPassword)
    await press(page)
    await check("spent", "Forgot your password?", {})

    await page.goto(`${origin()}/auth/signin`)
    await signInWithDemoId(page, "Grace Hopper")
    await page.goto(`${origin()}/auth/password/change`)
    await check("add", "Add a password", {})
    await press(page)
    await check("add-code", "Add a password", { code: "one-time-code", ...reset })
  })

  it.each([
    ["light", "en", "Show password", "Caps Lock is on"],
    ["dark", "ar", "إظهار كلمة المرور", "مفتاح الأحرف الكبيرة مفعّل"],
  ] as const)(
    "show what is typed on demand, and that Caps Lock is on (%s, %s)",
    async (colorScheme, locale, show, caps) => {
      const context = await stage().newContext({ colorScheme, locale, viewport: { width: 390, height: 844 } })
      const page = await context.newPage()
      await page.goto(`${origin()}/auth/password/sign-up`)
      const field = page.locator("input[name=password]")
      const button = page.getByRole("button", { name: show })
      const read = () => Promise.all([field.getAttribute("type"), button.getAttribute("aria-pressed")])
      const place = () => page.locator("main form button[type=submit]").boundingBox()
      const before = await place()
      await field.pressSequentially("grey lantern")
      expect(await read()).toEqual(["password", "false"])
      await page.keyboard.press("Tab")
      await page.keyboard.press("Space")
      expect(await read()).toEqual(["text", "true"])
      await field.focus()
      // Chromium's driver has no Caps Lock.
      await field.evaluate((input) => input.dispatchEvent(new KeyboardEvent("keydown", { modifierCapsLock: true })))
      expect(await page.getByText(caps).isVisible()).toBe(true)
      expect(await place()).toEqual(before)
      await takePicture(page, `shown-password-${colorScheme}-${locale}`)
      expect(await findAccessibilityFaults(page)).toEqual([])
      await field.blur()
      expect(await page.getByText(caps).count()).toBe(0)
      // Password managers look for this type when the form is sent.
      await page.evaluate(() => document.forms[0]?.addEventListener("submit", (event) => event.preventDefault()))
      await page.locator("input[name=email]").fill("grace@demo.example")
      await press(page)
      expect(await read()).toEqual(["password", "false"])
      await context.close()
    },
  )

  it("have no button for it without scripts", async () => {
    const context = await stage().newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${origin()}/auth/password/sign-up`)
    expect(await page.locator("main form").getByRole("button").count()).toBe(1)
    await context.close()
  })
})
