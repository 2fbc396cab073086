import type { BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { browserTestOptions, openStage, type Stage } from "../stage.js"
import { expectSignedOut, readCurrentSession, readNewestCode, takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"
import { bundleForms, enroll, openForms, send } from "./own-forms.js"

// Forms of an app, as the guide shows them, over the service of the demo.

const timeout = 3 * browserTestOptions.timeout
const password = "grey lantern over water"
const newPassword = "nine herons by the mill"

let stage: Stage
let script: string
const origin = (): string => stage.demo().origin
const auth = (path: string): string => `${origin()}/auth/${path}`

beforeAll(async () => {
  if (!hasChromium) return
  stage = await openStage()
  script = await bundleForms()
}, browserTestOptions.timeout)
afterAll(() => stage?.close())

async function readCode(address: string): Promise<string> {
  const context = await stage.newContext()
  const code = await readNewestCode(await context.newPage(), origin(), address)
  await context.close()
  return code
}

describe.skipIf(!hasChromium)("the form of the guide", { timeout }, () => {
  let context: BrowserContext
  let page: Page
  let address: string
  /** Codes of the user's authenticator app. */
  let nextCode: () => Promise<string>

  beforeEach(async ({ task }) => {
    context = await openForms(stage, script)
    context.setDefaultTimeout(30_000)
    page = await context.newPage()
    address = `${task.id.replace(/\W/g, "")}@demo.example`
    await send(page, auth("password/sign-up"), { email: address, name: "Grace Hopper", password })
    await send(page, auth("password/sign-up"), { code: await readCode(address) })
    nextCode = await enroll(page, origin())
    await send(page, auth("signout"), {})
  })
  afterEach(() => context.close())

  async function type(label: string, text: string, tab = page): Promise<void> {
    await tab.getByLabel(label).fill(text)
    await tab.getByRole("button", { name: "Continue" }).click()
  }

  /** Gives the first factor. */
  async function begin(tab = page): Promise<void> {
    await tab.goto(`${origin()}/form`)
    await type("Email", address, tab)
    await type("Password", password, tab)
    await tab.getByLabel("Code from your app").waitFor()
  }

  async function finish(tab = page): Promise<void> {
    await type("Code from your app", await nextCode(), tab)
    await tab.waitForURL(`${origin()}/inbox`)
  }

  it("signs in with a password and a second factor, with a reload before each", async () => {
    await page.goto(`${origin()}/form`)
    await type("Email", address)
    await page.getByLabel("Password").waitFor()
    await page.reload()
    await type("Password", "wrong")
    await page.getByText("That sign-in did not work.").waitFor()
    await takePicture(page, "own-form")
    expect([await findAccessibilityFaults(page), await readOverflow(page)]).toEqual([[], 0])
    await type("Password", password)
    await page.getByLabel("Code from your app").waitFor()
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain(password)
    await page.reload()
    await finish()
    expect(await readCurrentSession(page, origin())).toContain("Grace Hopper")
  })

  it("FLOW-01: a script that skips the second factor gets nothing from the service", async () => {
    await begin()
    const ask = (path: string, fields?: Record<string, string>) =>
      page.evaluate(
        async ([url = "", body]) => {
          const { csrfToken } = await (await fetch(`${location.origin}/auth/csrf`)).json()
          const form = body && { method: "POST", body: new URLSearchParams(`${body}&csrfToken=${csrfToken}`) }
          const answer = await fetch(url, { headers: { accept: "application/json" }, ...form })
          return [answer.status, await answer.text()]
        },
        [auth(path), fields && new URLSearchParams(fields).toString()] as const,
      )
    expect(await ask("session")).toEqual([200, "null"])
    expect(await ask("account")).toEqual([401, expect.stringContaining("SignedOut")])
    expect(await ask("account/factors", { action: "begin-totp" })).toEqual([401, expect.stringContaining("SignedOut")])
    expect(await ask("second-factor/enroll", { ticket: "x", code: "123456" })).toEqual([401, expect.any(String)])
    // What the tab keeps is a note of its own, and decides nothing.
    await page.evaluate(() => {
      for (const name of Object.keys(sessionStorage))
        sessionStorage.setItem(name, JSON.stringify({ step: "recovery-codes", at: Date.now() }))
    })
    await page.reload()
    await page.getByRole("button", { name: "Continue" }).click()
    await page.waitForURL(/\/auth\//)
    await expectSignedOut(page, origin())
    await page.evaluate(() => sessionStorage.clear())
    await begin()
    await finish()
  })

  it("FLOW-05: another tab that completes or ends the sign-in decides what the first one shows", async () => {
    const other = await context.newPage()
    await begin()
    await begin(other)
    const third = await context.newPage()
    await begin(third)
    const code = await nextCode()
    await type("Code from your app", code, other)
    await other.waitForURL(`${origin()}/inbox`)
    // The code was used, and the session is there: the first tab goes where the sign-in led.
    await type("Code from your app", code)
    await page.waitForURL(`${origin()}/inbox`)
    await send(other, auth("signout"), {})
    await type("Code from your app", code, third)
    await third.getByLabel("Email").waitFor()
    expect(await third.getByRole("alert").textContent()).not.toBe("")
    await expectSignedOut(third, origin())
  })

  it("FLOW-06: a step that is sent again signs nobody in", async () => {
    const sent: { readonly url: string; readonly body: string }[] = []
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push({ url: request.url(), body: request.postData() ?? "" })
    })
    await begin()
    await finish()
    const steps = sent.filter(({ url }) => /callback\/password|second-factor\/totp/.test(url))
    expect(steps).toHaveLength(2)
    await send(page, auth("signout"), {})
    const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" }
    // Only the last one: the first is a right password, and leads to the second factor again.
    const { url = "", body = "" } = steps[1] ?? {}
    expect((await page.request.post(url, { headers, data: body })).status()).toBe(401)
    await expectSignedOut(page, origin())
    await send(page, auth("callback/password"), { email: address, password: password })
    expect((await page.request.post(url, { headers, data: body })).status()).toBe(400)
    await expectSignedOut(page, origin())
  })

  it("FLOW-07: a step out of order leads to the first one, and the service has no session", async () => {
    await page.goto(`${origin()}/form`)
    await page.evaluate((identifier) => {
      const kept = JSON.stringify({ step: "second-factor", identifier, at: Date.now() })
      sessionStorage.setItem("latchkey sign-in /auth/session", kept)
    }, address)
    await page.reload()
    await page.getByLabel("Email").waitFor()
    await page.getByRole("alert").filter({ hasText: /\w/ }).waitFor()
    await expectSignedOut(page, origin())
    await begin()
    await finish()
  })
})

const looks = [
  { locale: "en", reloads: true },
  { locale: "de", reloads: false },
  { locale: "ar", reloads: true },
] as const

/** What the service says about a wrong code. */
const wrongCode = { en: /code/i, de: /Dieser Code stimmt nicht/, ar: /هذا الرمز غير صحيح/ }

describe.skipIf(!hasChromium)("forms for sign-up and reset", { timeout }, () => {
  it.each(looks)(
    "create an account, and set a new password with a second factor ($locale, reloads: $reloads)",
    async ({ locale, reloads }) => {
      const address = `flow-${locale}-${reloads}@demo.example`
      const context = await openForms(stage, script, { locale })
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      const arrive = async (step: string) => {
        await page.locator(`form[data-step="${step}"][aria-busy="false"]`).waitFor()
        if (!reloads) return
        await page.reload()
        await page.locator(`form[data-step="${step}"][aria-busy="false"]`).waitFor()
      }
      const fill = async (fields: Record<string, string>) => {
        for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text)
        await page.getByRole("button", { name: "Continue" }).click()
      }
      const refuseCode = async (fields: Record<string, string>) => {
        await fill(fields)
        await page.getByRole("alert").filter({ hasText: wrongCode[locale] }).waitFor()
        await takePicture(page, `own-${fields["password"] ? "reset" : "sign-up"}-${locale}`)
        expect([await findAccessibilityFaults(page), await readOverflow(page)]).toEqual([[], 0])
      }

      await page.goto(`${origin()}/form/sign-up`)
      await arrive("identifier")
      await fill({ email: address, name: "Grace Hopper", password })
      await arrive("code")
      expect(await page.getByText(address).count()).toBe(1)
      await refuseCode({ code: "000000" })
      expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("lantern")
      await fill({ code: await readCode(address) })
      await page.waitForURL(`${origin()}/inbox`)
      const nextCode = await enroll(page, origin())
      await send(page, auth("signout"), {})

      await page.goto(`${origin()}/form/reset`)
      await arrive("identifier")
      await fill({ email: address })
      await arrive("code")
      await refuseCode({ code: "000000", password: newPassword })
      await fill({ code: await readCode(address), password: newPassword })
      await arrive("second-factor")
      await expectSignedOut(await context.newPage(), origin())
      expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("herons")
      await fill({ code: await nextCode() })
      await page.waitForURL(`${origin()}/inbox`)
      expect(await readCurrentSession(page, origin())).toContain("Grace Hopper")
      await context.close()
    },
  )
})
