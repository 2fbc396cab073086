import { accountArea } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { allLanguages } from "@latchkey/core/languages/all"
import { nativeApps } from "@latchkey/core/native-apps"
import GitHub from "@latchkey/core/providers/github"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import type { ExpressAuthConfig } from "@latchkey/express"
import { memoryAdapter } from "@latchkey/testkit"
import type { BrowserContext, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { useSite } from "../stage.js"
import { codesOf, takePicture } from "../steps.js"
import { findAccessibilityFaults, findClippedText, findFaultsWithoutScripts, readOverflow } from "./accessibility.js"

const password = "grey lantern over water"
const client = { id: "phone", name: "Harbour for phones", redirectUris: ["com.example.harbour:/callback"] }
const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")

/** The newest email to an address: its text, or the code and the link of a sign-in email. */
const mails = new Map<string, string>()
const mail = { send: ({ to, text }: { readonly to: string; readonly text: string }) => void mails.set(to, text) }
const readCode = (address: string) => /^\d{6}$/m.exec(mails.get(address) ?? "")?.[0] ?? ""
const readLink = (address: string) => /^https?:\S+$/m.exec(mails.get(address) ?? "")?.[0] ?? ""

function configure(): ExpressAuthConfig {
  return {
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    rateLimit: false,
    logger: { error() {}, warn() {} },
    adapter: memoryAdapter(),
    accountArea: accountArea({ mail, deleteAfterDays: 14, picture: { save: () => "/auth/no-picture.png" } }),
    secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
    nativeApps: nativeApps({ clients: [client] }),
    languages: languages(allLanguages),
    theme: { name: "Harbour", links: { terms: "/terms", privacy: "/privacy", support: "/help" } },
    providers: [
      GitHub({ clientId: "id", clientSecret: "secret" }),
      Passkey(),
      Nodemailer({
        server: "smtp://127.0.0.1:1",
        code: true,
        sendVerificationRequest: ({ identifier, url, code }) => void mails.set(identifier, `${url}\n${code}`),
      }),
      Passwords({
        mail,
        breached: false,
        fields: { company: { label: "Company", required: true }, website: { label: "Website", type: "url" } },
        terms: "termsAcceptedAt",
      }),
    ],
  }
}

interface Walk {
  readonly context: BrowserContext
  readonly page: Page
  /** The address of someone, in this look. */
  readonly address: (name: string) => string
  /** Checks the page in each width and color scheme of the look. */
  readonly shown: (name: string) => Promise<void>
}

const submit = (page: Page, form: string) => page.locator(form).getByRole("button").last().click()
const press = (page: Page) => submit(page, "main form:visible")
const alertOf = (page: Page) => page.locator("main [role=alert]:visible").first()

/** Sends the form of the page although a field that it needs is empty. */
async function pressUnchecked(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const form of document.forms) form.noValidate = true
  })
  await press(page)
}

async function sayWho(page: Page, address: string): Promise<void> {
  await page.goto("/auth/signin?callbackUrl=/auth/account")
  await page.locator("#field-person-email").fill(address)
  await submit(page, 'form[action$="/auth/signin"]')
  await page.waitForURL(/step=2/)
}

async function signIn(page: Page, address: string, typed = password): Promise<void> {
  await sayWho(page, address)
  await page.locator("input[name=password]").fill(typed)
  await submit(page, 'form[action$="/callback/password"]')
}

async function signOut(page: Page): Promise<void> {
  await page.goto("/auth/signout")
  await press(page)
  await page.waitForLoadState()
}

/** The ways in: two steps, a wrong password, a code by mail, also one whose link was used elsewhere. */
async function walkSignIn({ context, page, address, shown }: Walk): Promise<void> {
  const mailed = address("mailed")
  await page.goto("/auth/signin")
  await shown("first")
  await signIn(page, mailed, "not the password")
  await page.waitForURL(/error=/)
  await shown("wrong-password")
  await sayWho(page, mailed)
  await shown("second")
  await submit(page, 'form[action$="/signin/nodemailer"]')
  await page.waitForURL(/verify-request/)
  await shown("code")
  await page.locator("input[name=code]").fill(readCode(mailed) === "000000" ? "000001" : "000000")
  await submit(page, "main form:has(input[name=code])")
  await alertOf(page).waitFor()
  await shown("code-wrong")

  const other = await (context.browser() ?? expect.fail("no browser")).newContext()
  const phone = await other.newPage()
  await phone.goto(readLink(mailed))
  await press(phone)
  await phone.waitForURL((url) => !url.pathname.includes("/callback/"))
  await other.close()
  const wrong = await alertOf(page).textContent()
  await page.locator("input[name=code]").fill(readCode(mailed))
  await submit(page, "main form:has(input[name=code])")
  await page.waitForLoadState()
  // It does not say that the code is wrong.
  expect(await alertOf(page).textContent()).not.toBe(wrong)
  await shown("code-used-elsewhere")
  await page.goto(readLink(mailed))
  await shown("link-used")
}

/** A sign-up with fields of the app and the terms. */
async function walkSignUp({ page, address, shown }: Walk): Promise<void> {
  const ada = address("ada")
  await page.goto("/auth/password/sign-up")
  await shown("sign-up")
  const fill = async (field: string, text: string) => page.locator(`main input[name=${field}]`).fill(text)
  await fill("email", ada)
  await fill("company", "Donaudampfschifffahrtsgesellschaft und Söhne")
  await fill("password", password)
  await pressUnchecked(page)
  await alertOf(page).waitFor()
  const terms = page.locator("main input[type=checkbox]")
  expect(await terms.getAttribute("aria-invalid")).toBe("true")
  await shown("sign-up-without-terms")
  await terms.check()
  await fill("company", "")
  await fill("password", password)
  await pressUnchecked(page)
  await page.locator("main input[name=company][aria-invalid=true]").waitFor()
  await shown("sign-up-without-field")
  await fill("company", "Engines")
  await fill("password", password)
  if (!(await terms.isChecked())) await terms.check()
  await press(page)
  await page.locator("input[name=code]").waitFor()
  await shown("sign-up-code")
  await page.locator("input[name=code]").fill(readCode(ada))
  await submit(page, "main form:has(input[name=code])")
  await page.waitForURL((url) => !url.pathname.includes("password"))
  await page.goto("/auth/signin")
  expect(await page.locator("main [role=status]").textContent()).toContain(ada)
  await shown("signed-in")
}

const sections = ["profile", "email", "methods", "passkeys", "factors", "password", "sessions", "export", "delete"]

/** The account area, and a picture. */
async function walkAccount({ page, address, shown }: Walk): Promise<void> {
  await page.goto("/auth/account")
  await shown("account")
  for (const section of sections) {
    await page.goto(`/auth/account/${section}`)
    await page.setViewportSize({ width: 1280, height: 800 })
    const current = page.locator("nav a[aria-current=page]")
    expect(await current.getAttribute("href")).toContain(`/account/${section}`)
    expect(await current.isVisible()).toBe(true)
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await current.isVisible()).toBe(false)
    await shown(`account-${section}`)
  }
  await page.goto("/auth/account/profile")
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "me.txt", mimeType: "text/plain", buffer: Buffer.from("me") })
  await submit(page, "form[enctype]")
  await alertOf(page).waitFor()
  await shown("picture-refused")
  await page.locator("input[type=file]").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: png })
  await submit(page, "form[enctype]")
  await page.waitForURL(/done=saved/)
  expect(await page.locator("main img").count()).toBe(1)
  await shown("picture")
  await page.goto("/auth/account/email")
  await page.locator("main input[type=email]").fill(address("a-rather-long-address-of-a-countess"))
  await press(page)
  await page.locator("input[name=code]").waitFor()
  await shown("email-code")
  await page.goto("/auth/password/change")
  await shown("password-change")
}

/** A second factor from the set-up to the questions before it goes. Returns a recovery code. */
async function walkFactors({ page, shown }: Walk): Promise<string> {
  await page.goto("/auth/account/factors")
  await press(page)
  await page.locator("main img").waitFor()
  await shown("factor-setup")
  const secret = ((await page.locator("main code").first().textContent()) ?? "").replaceAll(" ", "")
  await page.locator("input[name=code]").fill("000000")
  await submit(page, "main form:has(input[name=code])")
  await alertOf(page).waitFor()
  await shown("factor-wrong")
  await page.locator("input[name=code]").fill(await codesOf(secret)())
  await submit(page, "main form:has(input[name=code])")
  await page.locator("#recovery-codes").waitFor()
  await shown("recovery-codes")
  const recovery = (await page.locator("#recovery-codes code").first().textContent()) ?? ""
  await submit(page, "main form.form")
  await page.waitForURL((url) => !url.href.includes("codes"))
  await page.goto("/auth/account/factors")
  await shown("factors-on")
  const questions = await page
    .locator('main a[href*="step="]')
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""))
  expect(questions.length).toBe(3)
  for (const [index, question] of questions.entries()) {
    await page.goto(question)
    await shown(`factor-question-${index}`)
  }
  return recovery
}

const nativeQuery = (id: string) =>
  `/auth/native?${new URLSearchParams({
    ...{ response_type: "code", client_id: id, redirect_uri: "com.example.harbour:/callback", state: "a-random-state" },
    ...{ code_challenge: "c".repeat(43), code_challenge_method: "S256" },
  })}`

/** Pages that few people see, and the deletion of the account. */
async function walkRest({ context, page, address, shown }: Walk, recovery: string): Promise<void> {
  await context.clearCookies({ name: /authjs\.proof$/ })
  await page.goto("/auth/account/factors")
  await shown("locked")
  await page.locator("main .account-lock a").click()
  await page.waitForLoadState()
  await shown("confirm")
  await signOut(page)
  await signIn(page, address("ada"))
  await page.locator("input[name=code]").waitFor()
  await shown("second-factor")
  await page.locator('main a[href*="recovery"]').click()
  await page.waitForURL(/recovery/)
  await shown("recovery")
  await page.locator("main input[name=code]").fill(recovery)
  await submit(page, "main form:has(input[name=code])")
  await page.waitForURL(/\/auth\/account/)
  await page.goto(nativeQuery(client.id))
  await shown("native")
  expect((await page.goto(nativeQuery("no-such-client")))?.status()).toBe(400)
  await shown("native-wrong-client")
  expect((await page.goto("/auth/no-such-page"))?.status()).toBe(404)
  await shown("unknown")
  for (const path of ["error?error=AccessDenied", "error?error=Configuration", "signin?error=OAuthAccountNotLinked"]) {
    await page.goto(`/auth/${path}`)
    await shown(path.replaceAll(/\W+/g, "-"))
  }
  await page.goto("/auth/password/forgot")
  await shown("forgot")
  await page.goto("/auth/signout")
  await shown("sign-out")
  await page.goto("/auth/account/delete")
  await page.locator("main input[name=confirm]").fill(address("ada"))
  await press(page)
  await page.locator("main input[name=confirm]").waitFor({ state: "detached" })
  const year = new Intl.DateTimeFormat("en", { year: "numeric" }).format(Date.now() + 14 * 86_400_000)
  if (await page.locator("html[lang=en]").count()) expect(await page.locator("main").textContent()).toContain(year)
  await shown("deletion-planned")
}

const widths = [320, 390, 1280]

interface Look {
  readonly locale: string
  readonly hasScripts: boolean
}

interface Stand extends Look {
  readonly page: Page
  /** Shows pages to axe where scripts do not run. */
  readonly twin: Page
}

/** On phones and desks. Without scripts in the schemes that are not seen with them, so that each width is seen in both. */
function listLooks(hasScripts: boolean) {
  return widths.map((width) => ({ width, colorScheme: width > 1000 === hasScripts ? "dark" : "light" }) as const)
}

/** Loads nothing again: sizes and schemes change what is there. */
async function check(name: string, { page, twin, locale, hasScripts }: Stand): Promise<void> {
  expect({ name, lang: await page.getAttribute("html", "lang") }).toEqual({ name, lang: locale })
  for (const { width, colorScheme } of listLooks(hasScripts)) {
    for (const each of [page, twin]) {
      await each.setViewportSize({ width, height: 800 })
      await each.emulateMedia({ colorScheme })
    }
    const isChecked = width !== widths[0]
    const findFaults = () => (hasScripts ? findAccessibilityFaults(page) : findFaultsWithoutScripts(page, twin))
    const found = {
      faults: isChecked ? await findFaults() : [],
      // Less than 0 where the page keeps room for a scrollbar.
      isTooWide: (await readOverflow(page)) > 0,
      clipped: await findClippedText(page),
    }
    expect.soft({ name, width, ...found }).toEqual({ name, width, faults: [], isTooWide: false, clipped: [] })
    if (isChecked) await takePicture(page, `${name}-${locale}-${width}-${hasScripts ? "scripts" : "none"}`)
  }
}

describe.skipIf(!hasChromium)("every page", { timeout: 900_000 }, () => {
  const site = useSite(configure)

  async function open({ locale, hasScripts }: Look): Promise<Walk & { readonly close: () => Promise<void> }> {
    const { browser, origin } = site()
    const context = await browser.newContext({ baseURL: origin, locale, javaScriptEnabled: hasScripts })
    const other = await browser.newContext({ locale })
    const [page, twin] = [await context.newPage(), await other.newPage()]
    page.setDefaultTimeout(20_000)
    return {
      context,
      page,
      address: (name) => `${name}-${locale}-${hasScripts}@example.com`,
      shown: (name) => check(name, { page, twin, locale, hasScripts }),
      async close() {
        await context.close()
        await other.close()
      },
    }
  }

  it.each([
    ["en", true],
    ["de", true],
    ["ar", true],
    ["en", false],
    ["de", false],
    ["ar", false],
  ] as const)(
    "passes axe, fits and clips no text, light and dark, on phones and desks: %s, scripts: %s",
    async (locale, hasScripts) => {
      const walk = await open({ locale, hasScripts })
      await walkSignIn(walk)
      await walkSignUp(walk)
      await walkAccount(walk)
      await walkRest(walk, await walkFactors(walk))
      await walk.close()
    },
  )
})
