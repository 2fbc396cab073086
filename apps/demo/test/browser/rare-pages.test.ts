import { accountArea } from "@latchkey/core/account-area"
import { languages } from "@latchkey/core/languages"
import { allLanguages } from "@latchkey/core/languages/all"
import { nativeApps } from "@latchkey/core/native-apps"
import { setPassword } from "@latchkey/core/passwords"
import Google from "@latchkey/core/providers/google"
import MicrosoftEntraID from "@latchkey/core/providers/microsoft-entra-id"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import Passkey from "@latchkey/core/providers/passkey"
import Passwords from "@latchkey/core/providers/passwords"
import Slack from "@latchkey/core/providers/slack"
import Vipps from "@latchkey/core/providers/vipps"
import type { ExpressAuthConfig } from "@latchkey/express"
import { memoryAdapter } from "@latchkey/testkit"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasChromium } from "../chromium.js"
import { useSite } from "../stage.js"
import { takePicture } from "../steps.js"
import { findAccessibilityFaults, readOverflow } from "./accessibility.js"

const client = { clientId: "id", clientSecret: "secret" }
const password = "a right and long password"
const nativeClient = { id: "phone", name: "Harbour for phones", redirectUris: ["com.example.harbour:/callback"] }

const adapter = memoryAdapter()
const mail = { send() {} }

const config: ExpressAuthConfig = {
  secret: "a secret of at least thirty-two characters",
  trustHost: true,
  rateLimit: false,
  logger: { error() {}, warn() {} },
  adapter,
  nativeApps: nativeApps({ clients: [nativeClient] }),
  accountArea: accountArea({ deleteAfterDays: 14, mail }),
  languages: languages(allLanguages),
  theme: { name: "Harbour" },
  providers: [
    Google(client),
    Slack(client),
    Vipps(client),
    MicrosoftEntraID(client),
    Passkey(),
    Nodemailer({ server: "smtp://127.0.0.1:1", code: true, sendVerificationRequest() {} }),
    Passwords({ mail, breached: false }),
  ],
}

async function addUser(name: string): Promise<void> {
  await adapter.createUser({ id: `u-${name}`, email: `${name}@example.com`, emailVerified: new Date() })
  await setPassword(config, `u-${name}`, password)
}

const submit = (page: Page, form: string) => page.locator(form).getByRole("button").last().click()

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto("/auth/signin?callbackUrl=/auth/account")
  await page.locator("#field-person-email").fill(`${name}@example.com`)
  await submit(page, 'form[action$="/auth/signin"]')
  await page.waitForURL(/step=2/)
  await page.locator("input[name=password]").fill(password)
  await submit(page, 'form[action$="/callback/password"]')
  await page.waitForURL(/\/auth\/account/)
}

const nativeQuery = (id: string): string =>
  `/auth/native?${new URLSearchParams({
    ...{ response_type: "code", client_id: id, redirect_uri: "com.example.harbour:/callback", state: "a-random-state" },
    ...{ code_challenge: "c".repeat(43), code_challenge_method: "S256" },
  })}`

/** The errors of each page. */
const errorsOf = {
  error: ["AccessDenied", "Configuration", "Verification", "WebAuthnVerificationError"],
  signin: [
    "AccountNotLinked",
    "CredentialsSignin",
    "EmailSignin",
    "MissingCSRF",
    "OAuthAccountNotLinked",
    "OAuthCallbackError",
    "OAuthSignin",
    "SessionRequired",
    "TooManyRequests",
    "Verification",
  ],
  "verify-request": ["CodeWrong"],
}
const errorPaths = Object.entries(errorsOf).flatMap(([page, errors]) =>
  errors.map((error) => `/auth/${page}?error=${error}`),
)

type Opener = (page: Page, name: string) => Promise<unknown>

/** Pages that few people see, in an order in which each can be reached. */
const pages: Readonly<Record<string, Opener>> = {
  ...Object.fromEntries([...errorPaths].map((path): [string, Opener] => [path, (page) => page.goto(path)])),
  unknown: (page) => page.goto("/auth/no-such-page"),
  signedOut: (page) => page.goto("/auth/signout"),
  checkEmail: (page) => page.goto("/auth/verify-request"),
  accountSignedOut: (page) => page.goto("/auth/account"),
  wrongNativeClient: (page) => page.goto(nativeQuery("no-such-client")),
  wrongUndo: (page) => page.goto("/auth/account/email/undo?change=a&token=b"),
  native: async (page, name) => {
    await signIn(page, name)
    await page.goto(nativeQuery(nativeClient.id))
    expect(await page.locator("main form").count()).toBe(2)
  },
  changedAddress: async (page, name) => {
    await page.goto("/auth/account/email")
    await page.locator("main input[type=email]").fill(`${name}@new.example`)
    await submit(page, 'main form:has(input[type="email"])')
    await page.waitForLoadState()
  },
  deletion: (page) => page.goto("/auth/account/delete"),
  signOut: (page) => page.goto("/auth/signout"),
}

describe.skipIf(!hasChromium)("pages that few people see", { timeout: 240_000 }, () => {
  const site = useSite(() => config)

  it.each([
    { locale: "de", colorScheme: "light", width: 390, javaScriptEnabled: true },
    { locale: "ar", colorScheme: "dark", width: 1280, javaScriptEnabled: true },
    { locale: "de", colorScheme: "dark", width: 1280, javaScriptEnabled: false },
    { locale: "ar", colorScheme: "light", width: 390, javaScriptEnabled: false },
  ] as const)("pass axe and fit: $locale, $colorScheme, $width pixels, scripts: $javaScriptEnabled", async (look) => {
    const { width, ...options } = look
    const context = await site().browser.newContext({
      baseURL: site().origin,
      viewport: { width, height: 800 },
      ...options,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    const name = `${look.locale}-${look.colorScheme}-${width}-${look.javaScriptEnabled}`
    await addUser(name)
    for (const [each, open] of Object.entries(pages)) {
      await open(page, name)
      await takePicture(page, `${each.replace(/\W+/g, "-")}-${name}`)
      expect({ each, lang: await page.getAttribute("html", "lang") }).toEqual({ each, lang: look.locale })
      // Axe is a script.
      const findings = look.javaScriptEnabled ? await findAccessibilityFaults(page) : []
      expect({ each, findings }).toEqual({ each, findings: [] })
      // Less than 0 where the page keeps room for a scrollbar.
      expect({ each, isTooWide: (await readOverflow(page)) > 0 }).toEqual({ each, isTooWide: false })
    }
    await context.close()
  })

  it("are the same after a reload and after Back, also where a form was refused", async () => {
    const context = await site().browser.newContext({ baseURL: site().origin, viewport: { width: 390, height: 800 } })
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    await addUser("again")
    const read = async () => [
      // Each time that a mistake is shown, the log has another reference.
      (await page.locator("main").textContent())?.replaceAll(/\b[0-9A-Z]{4}-[0-9A-Z]{2}\b/g, "reference"),
      await page
        .locator("main input:not([type=hidden])")
        .evaluateAll((inputs) => inputs.map((input) => (input instanceof HTMLInputElement ? input.defaultValue : ""))),
    ]
    const isSame = async (each: string) => {
      const before = await read()
      // Chromium asks whether to send a form again, and the test would hang.
      await page.reload()
      expect({ each, shown: await read() }).toEqual({ each, shown: before })
      await page.goto("/auth/providers")
      await page.goBack()
      expect({ each, shown: await read() }).toEqual({ each, shown: before })
    }
    for (const [each, open] of Object.entries(pages)) {
      await open(page, "again")
      await isSame(each)
    }
    await page.goto("/auth/account/profile")
    await page.locator("main input[name=name]").fill("Typed")
    await page.locator("main input[name=image]").fill("https://user:secret@x.test/")
    await submit(page, "main form")
    await page.waitForURL(/\?refused=/)
    expect(await page.locator("main input[name=name]").inputValue()).toBe("Typed")
    await isSame("refused profile")
    await takePicture(page, "refused-profile")
    await page.goto("/auth/account/delete")
    await page.locator("main input[name=confirm]").fill("again@example.com")
    await submit(page, "main form")
    await page.waitForURL(/\?after=/)
    await isSame("deletion")
    await takePicture(page, "planned-deletion")
    await page.goto("/auth/password/sign-up")
    await page.locator("main input[name=email]").fill("new@example.com")
    await page.locator("main input[name=password]").fill("short")
    await submit(page, "main form")
    await page.waitForURL(/\?refused=/)
    await isSame("refused sign-up")
    await takePicture(page, "refused-sign-up")
    await context.close()
  })
})
