import { authenticatorApp } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { addVirtualDevice, browserTestOptions, openStage, type Stage } from "../stage.js"
import { openSignIn, openSignInWithoutAutofill, phoneAgent, signInWithPassword, takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"
import { findLatinWords } from "./latin-words.js"

/** Each page is checked by axe. */
const timeout = 3 * browserTestOptions.timeout

/** Names of the user, of browsers and of systems. */
const ownNames = ["Ada Lovelace", "Safari", "Chrome", "iPhone", "Linux"]

const looks = [
  ["light", "ltr"],
  ["dark", "ltr"],
  ["light", "rtl"],
  ["dark", "rtl"],
] as const

describe.skipIf(!hasChromium)("every page of the account area", { timeout }, () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage()
  }, browserTestOptions.timeout)
  afterEach(() => stage.close())

  it.each(looks)("passes axe and fits into 320 pixels (%s, %s)", async (colorScheme, direction) => {
    const { origin } = stage.demo()
    const locale = direction === "rtl" ? "ar" : "en"
    const other = await (await stage.newContext({ userAgent: phoneAgent })).newPage()
    await openSignIn(other, origin)
    await signInWithPassword(other)
    const context = await stage.newContext({ colorScheme, viewport: { width: 320, height: 720 } })
    const page = await context.newPage()
    await addVirtualDevice(page)
    await openSignInWithoutAutofill(page, origin)
    await signInWithPassword(page)
    await context.setExtraHTTPHeaders({ "accept-language": locale })

    async function check(name: string): Promise<void> {
      await takePicture(page, `${name}-${colorScheme}-${direction}`)
      expect({ name, direction: await page.getAttribute("html", "dir") }).toEqual({ name, direction })
      expect({ name, findings: await findAccessibilityFaults(page) }).toEqual({ name, findings: [] })
      expect({ name, overflow: await readOverflow(page) }).toEqual({ name, overflow: 0 })
      if (direction === "rtl") {
        expect({ name, words: await findLatinWords(page, ownNames) }).toEqual({ name, words: [] })
      }
    }
    const open = async (path: string, name = path): Promise<void> => {
      await page.goto(`${origin}/auth/account${path && `/${path}`}`)
      await check(name)
    }
    const submit = (section: string) =>
      page.locator(`form[action$="/account/${section}"]`).last().getByRole("button").click()

    await open("", "overview")
    for (const name of ["profile", "email", "methods", "password", "sessions", "export", "delete"]) await open(name)
    await open("passkeys")
    await page.locator("form[data-passkey]").getByRole("button").click()
    await page.waitForURL(/done=added/)
    await check("passkeys-added")
    await page.getByRole("group").locator("summary").click()
    await check("passkeys-rename")
    await open("factors")
    await submit("factors")
    await check("factors-setup")
    const secret = ((await page.locator("main code").first().textContent()) ?? "").replaceAll(" ", "")
    await page.locator("input[name=code]").fill(await authenticatorApp(secret).code())
    await page.locator("main form").getByRole("button").last().click()
    await check("factors-codes")
    await open("factors", "factors-on")
    await open("", "overview-full")
    await page.goto(`${origin}/auth/account/email`)
    await page.locator("input[name=email]").fill("a-rather-long-address.of-a-countess@demonstration.example")
    await submit("email")
    await check("email-code")
    await context.clearCookies({ name: /authjs\.proof$/ })
    await open("profile", "profile-locked")
    await context.close()
  })
})
