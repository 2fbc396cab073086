import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { address, password, secret } from "../test/sessions/former.js"
import { createNextApp, type NextApp, readFixture } from "./next-app.js"

// An app of next-auth 5 in a published Next, which is moved to ours by its imports alone, and back.

const theirs = ['"next-auth5"', '"next-auth5/providers/credentials"', '"next-auth5/providers/keycloak"']
const ours = ['"@latchkey/next"', '"@latchkey/core/providers/credentials"', '"@latchkey/core/providers/keycloak"']

describe.skipIf(!hasChromium).each(["16"])("an app of next-auth 5 in Next %s", (version) => {
  let browser: Browser
  let app: NextApp

  beforeAll(async () => {
    browser = await launchChromium()
    app = await createNextApp({ version, name: "next-auth-5", files: readFixture("next-auth-5") })
    app.setVariables({
      AUTH_SECRET: secret,
      AUTH_URL: app.origin,
      AUTH_KEYCLOAK_ID: "an-id",
      AUTH_KEYCLOAK_SECRET: "a-secret",
      AUTH_KEYCLOAK_ISSUER: "https://keycloak.test",
    })
    await app.deploy()
  })
  afterAll(async () => {
    await app?.stop()
    await browser?.close()
  })

  const openPage = async (javaScriptEnabled: boolean) => (await browser.newContext({ javaScriptEnabled })).newPage()
  const who = (page: Page) => page.locator("#who").textContent()

  async function signIn(page: Page): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signin?callbackUrl=/private`)
    await page.locator("input[name=username]").fill(address)
    await page.locator("input[name=password]").fill(password)
    await page.locator("form:has(input[name=password]) button[type=submit]").click()
    await page.waitForURL(`${app.origin}/private`)
    expect(await who(page)).toBe(address)
  }

  async function rename(from: readonly string[], to: readonly string[]): Promise<void> {
    app.edit("auth.ts", ...from.map((name, n) => [name, to[n] ?? ""] as const))
    await app.deploy()
  }

  async function expectSession(page: Page): Promise<void> {
    // The proxy lets the visitor in, and the claims of the app are in the session.
    await page.goto(`${app.origin}/private`)
    expect(new URL(page.url()).pathname).toBe("/private")
    expect(await who(page)).toBe(address)
    expect(await page.locator("pre").textContent()).toContain('"role":"admin"')
  }

  async function signOut(page: Page): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signout?callbackUrl=/`)
    await page.locator("form button[type=submit]").click()
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe("nobody")
    await page.goto(`${app.origin}/private`)
    expect(new URL(page.url()).pathname).toBe("/api/auth/signin")
  }

  it("keeps its sessions when it moves to ours, and ours when it moves back", async () => {
    const [scripted, plain] = [await openPage(true), await openPage(false)]
    for (const page of [scripted, plain]) await signIn(page)
    await rename(theirs, ours)
    for (const page of [scripted, plain]) await expectSession(page)
    await signOut(scripted)
    await signIn(scripted)
    expect(app.output()).not.toMatch(/error/i)

    await rename(ours, theirs)
    for (const page of [scripted, plain]) await expectSession(page)
    await signOut(plain)
  })
})
