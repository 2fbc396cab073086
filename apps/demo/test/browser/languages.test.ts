import { languages } from "@latchkey/core/languages"
import { allLanguages } from "@latchkey/core/languages/all"
import { nativeApps } from "@latchkey/core/native-apps"
import { setPassword } from "@latchkey/core/passwords"
import Discord from "@latchkey/core/providers/discord"
import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import { trackSessions } from "@latchkey/core/sessions"
import type { ExpressAuthConfig } from "@latchkey/express"
import { memoryAdapter } from "@latchkey/testkit"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { useSite } from "../stage.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

const client = { clientId: "id", clientSecret: "secret" }
const secret = "a secret of at least thirty-two characters"
const password = "a right and long password"
const user = { id: "u-ada", email: "ada.lovelace@example.com", emailVerified: null }
const nativeClient = { id: "phone", name: "Harbour for phones", redirectUris: ["com.example.harbour:/callback"] }
const tags = ["en", ...allLanguages.map(({ tag }) => tag)]

/** A site with every kind of page, in all languages. */
async function configure(): Promise<ExpressAuthConfig> {
  const adapter = memoryAdapter()
  await adapter.createUser(user)
  const config: ExpressAuthConfig = {
    secret,
    trustHost: true,
    rateLimit: false,
    logger: { error() {}, warn() {} },
    adapter,
    nativeApps: nativeApps({ clients: [nativeClient] }),
    session: { strategy: "jwt", track: trackSessions() },
    languages: languages(allLanguages),
    theme: { name: "Harbour", rememberProvider: true },
    providers: [
      GitHub(client),
      Google(client),
      Discord(client),
      Passkey(),
      Nodemailer({ server: "smtp://127.0.0.1:1", code: true, sendVerificationRequest() {} }),
      Passwords({ mail: { send() {} }, breached: false }),
    ],
  }
  await setPassword(config, user.id, password)
  return config
}

/** Every page, and how to get there. */
const pages: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  signIn: (page) => page.goto("/auth/signin"),
  secondStep: sayWho,
  wrongPassword: async (page) => {
    await sayWho(page)
    await page.locator("input[name=password]").fill("not the password")
    await submit(page, 'form[action$="/callback/password"]', /error=/)
  },
  code: async (page) => {
    await sayWho(page)
    await submit(page, 'form[action$="/signin/nodemailer"]', /verify-request/)
  },
  signUp: (page) => page.goto("/auth/password/sign-up"),
  forgot: (page) => page.goto("/auth/password/forgot"),
  signOut: (page) => page.goto("/auth/signout"),
  error: (page) => page.goto("/auth/error?error=AccessDenied"),
  verification: (page) => page.goto("/auth/error?error=Verification"),
  // The last, since the browser is signed in from here on.
  native: openNativeApp,
}

async function openNativeApp(page: Page): Promise<void> {
  await sayWho(page)
  await page.locator("input[name=password]").fill(password)
  await submit(page, 'form[action$="/callback/password"]', /:\d+\/$/)
  const [redirectUri = ""] = nativeClient.redirectUris
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: nativeClient.id, redirect_uri: redirectUri, state: "a-random-state" },
    ...{ code_challenge: "c".repeat(43), code_challenge_method: "S256" },
  })
  await page.goto(`/auth/native?${query}`)
  expect(await page.locator("main form").count()).toBe(2)
}

async function sayWho(page: Page): Promise<void> {
  await page.goto("/auth/signin")
  await page.locator("#field-person-email").fill("ada.lovelace@example.com")
  await submit(page, 'form[action$="/auth/signin"]', /step=2/)
}

async function submit(page: Page, form: string, next: RegExp): Promise<void> {
  await page.locator(form).getByRole("button").last().click()
  await page.waitForURL(next)
}

describe.skipIf(!hasChromium)("the built-in pages", { timeout: 120_000 }, () => {
  const site = useSite(configure)

  const open = async (options: { locale: string; colorScheme?: "light" | "dark"; javaScriptEnabled?: boolean }) => {
    const context = await site().browser.newContext({
      baseURL: site().origin,
      viewport: { width: 320, height: 700 },
      ...options,
    })
    return context.newPage()
  }

  it.each(tags)("fit into 320 pixels without scripts, in %s", async (locale) => {
    const page = await open({ locale, javaScriptEnabled: false })
    for (const [name, show] of Object.entries(pages)) {
      await show(page)
      expect({ name, lang: await page.getAttribute("html", "lang") }).toEqual({ name, lang: locale })
      expect({ name, overflow: await page.locator("html").evaluate(readWidth) }).toEqual({ name, overflow: 0 })
    }
    await page.context().close()
  })

  it.each([
    ["en", "light"],
    ["en", "dark"],
    ["ar", "light"],
    ["ar", "dark"],
    ["ja", "light"],
  ] as const)("pass axe in %s, %s", async (locale, colorScheme) => {
    const page = await open({ locale, colorScheme })
    for (const [name, show] of Object.entries(pages)) {
      await show(page)
      expect({ name, findings: await findAccessibilityFaults(page) }).toEqual({ name, findings: [] })
      expect({ name, overflow: await readOverflow(page) }).toEqual({ name, overflow: 0 })
    }
    await page.context().close()
  })

  it("mirror their layout for right-to-left languages", async () => {
    const sides = []
    for (const locale of ["en", "ar"]) {
      const page = await open({ locale })
      await page.goto("/auth/signin")
      const button = page.locator(".button-provider").first()
      const [outer, mark] = [await button.boundingBox(), await button.locator(".mark").boundingBox()]
      sides.push((mark?.x ?? 0) - (outer?.x ?? 0) < (outer?.width ?? 0) / 2 ? "left" : "right")
      await page.context().close()
    }
    expect(sides).toEqual(["left", "right"])
  })

  it("have names for screen readers in the language of the visitor", async () => {
    const page = await open({ locale: "de", javaScriptEnabled: false })
    await page.goto("/auth/signin")
    const tree = await page.locator("main").ariaSnapshot()
    expect(tree).toContain('- heading "Bei Harbour anmelden" [level=1]')
    expect(tree).toContain('- textbox "E-Mail-Adresse"')
    expect(tree).toContain('- button "Weiter"')
    expect(tree).toContain('- link "Neu hier? Konto erstellen"')
    expect(tree).toContain('- button "Mit GitHub anmelden"')
    await page.context().close()
  })
})

function readWidth(element: Element): number {
  return element.scrollWidth - element.clientWidth
}
