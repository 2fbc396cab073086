import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, useStage } from "../stage.js"
import { press, readNewestCode, takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

/** Each page is checked by axe. */
const timeout = 3 * browserTestOptions.timeout

const password = "grey lantern over water"

interface Look {
  readonly width: number
  readonly colorScheme: "light" | "dark"
  readonly locale: string
  readonly javaScriptEnabled: boolean
}

/** Each width, scheme, language and choice about scripts, and neighbors that differ in all of them. */
const looks: readonly Look[] = [
  { width: 390, colorScheme: "light", locale: "en", javaScriptEnabled: false },
  { width: 390, colorScheme: "dark", locale: "ar", javaScriptEnabled: true },
  { width: 1280, colorScheme: "light", locale: "ar", javaScriptEnabled: false },
  { width: 1280, colorScheme: "dark", locale: "de", javaScriptEnabled: true },
  { width: 390, colorScheme: "light", locale: "de", javaScriptEnabled: true },
]

describe.skipIf(!hasChromium)("a new person", { timeout }, () => {
  const stage = useStage()
  const origin = (): string => stage().demo().origin

  async function readCode(address: string): Promise<string> {
    const context = await stage().newContext()
    const code = await readNewestCode(await context.newPage(), origin(), address)
    await context.close()
    return code
  }

  /** A page of one look, and a check of each state of it. */
  async function open(look: Look, name: string) {
    const { width, javaScriptEnabled, locale, colorScheme } = look
    const options = { viewport: { width, height: 780 }, javaScriptEnabled, locale, colorScheme }
    const context: BrowserContext = await stage().newContext(options)
    const page = await context.newPage()
    const picture = `entry-${locale}-${width}-${colorScheme}`
    const check = async (state: string) => {
      await takePicture(page, `${picture}-${state}`)
      // Axe is a script.
      const findings = javaScriptEnabled ? await findAccessibilityFaults(page) : []
      const direction = await page.locator("html").getAttribute("dir")
      expect({ name, state, findings, direction, overflow: Math.max(0, await readOverflow(page)) }).toEqual({
        name,
        state,
        findings: [],
        direction: locale === "ar" ? "rtl" : "ltr",
        overflow: 0,
      })
    }
    return { context, page, check }
  }

  const readValue = (page: Page, name: string) => page.locator(`main input[name=${name}]:visible`).first().inputValue()
  /** The field with the focus: wrong, and described by the error. */
  async function expectWrong(page: Page, name: string): Promise<void> {
    const field = page.locator("input:focus")
    expect([await field.getAttribute("name"), await field.getAttribute("aria-invalid")]).toEqual([name, "true"])
    expect(await field.getAttribute("aria-describedby")).toMatch(/^notice\b/)
    expect(await page.locator("#notice").isVisible()).toBe(true)
  }

  it.each(looks)(
    "finds the way in, and loses nothing that was typed ($locale, $width, $colorScheme, scripts: $javaScriptEnabled)",
    async (look) => {
      const address = `7new-${look.locale}-${look.width}@demo.example`
      const { context, page, check } = await open(look, address)
      await page.goto(`${origin()}/auth/signin`)
      await page.locator("#field-person-email").fill(address)
      await page.locator('form[action$="/auth/signin"] button').click()
      await page.waitForURL(/step=2/)
      await check("second-step")
      await page.locator("input[name=password]").fill("wrong")
      await page.locator('form[action$="/callback/password"] button').last().click()
      await page.waitForURL(/error=/)
      await page.reload()
      expect(await readValue(page, "email")).toBe(address)
      await expectWrong(page, "password")
      await check("reloaded")
      await page.locator('a[href$="/password/forgot"]').click()
      expect(await readValue(page, "email")).toBe(address)
      await page.goBack()
      await page.locator('a[href$="/password/sign-up"]').click()
      expect(await readValue(page, "email")).toBe(address)
      await page.locator("input[name=password]").fill("short")
      await press(page)
      await expectWrong(page, "password")
      expect(await readValue(page, "email")).toBe(address)
      await check("refused")
      await page.locator("input[name=password]").fill(password)
      await press(page)
      await page.locator("input[name=code]").fill(await readCode(address))
      await press(page)
      await page.waitForURL((url) => !url.pathname.includes("password"))

      await page.goto(`${origin()}/auth/signin`)
      expect(await page.getByRole("status").first().textContent()).toContain(address)
      await check("signed-in")
      await page.goto(`${origin()}/auth/account/profile`)
      await context.clearCookies({ name: /csrf-token$/ })
      await page.locator("input[name=name]").fill("Newcomer")
      await press(page)
      await page.getByRole("alert").waitFor()
      expect(await readValue(page, "name")).toBe("Newcomer")
      await check("stale")
      await press(page)
      await page.waitForURL(/done=saved/)

      await context.clearCookies()
      await page.goto(`${origin()}/auth/password/forgot`)
      await page.locator("input[name=email]").fill(address)
      await press(page)
      const code = await readCode(address)
      await page.locator("input[name=code]").fill(code)
      await page.locator("input[name=password]").fill("short")
      await press(page)
      await expectWrong(page, "password")
      expect(await readValue(page, "code")).toBe(code)
      await check("kept-code")
      await page.locator("input[name=password]").fill(`${password} again`)
      await press(page)
      await page.waitForURL((url) => !url.pathname.includes("password"))
      await context.close()
    },
  )
})
