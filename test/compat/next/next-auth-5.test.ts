import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { address, password, secret } from "../test/sessions/former.js"
import { createNextApp, type NextApp, readFixture } from "./next-app.js"
import { versions } from "./packages.js"

// An app of next-auth 5 in a published Next, which is moved to ours by its imports alone, and back.

const theirs = ['"next-auth5"', '"next-auth5/providers/credentials"', '"next-auth5/providers/keycloak"']
const ours = ['"@latchkey/next"', '"@latchkey/core/providers/credentials"', '"@latchkey/core/providers/keycloak"']

interface Visitor {
  readonly page: Page
  readonly email: string
  /** The names of the session's cookies. */
  readonly cookies: readonly string[]
}

async function listSessionCookies(page: Page): Promise<readonly string[]> {
  const names = (await page.context().cookies()).map(({ name }) => name)
  return names.filter((name) => name.includes("session-token")).sort()
}

describe.skipIf(!hasChromium).each(versions)("an app of next-auth 5 in Next %s", (version) => {
  let browser: Browser
  let app: NextApp

  beforeAll(async () => {
    browser = await launchChromium()
    app = await createNextApp({ version, name: "next-auth-5", files: readFixture("next-auth-5") })
    if (version === "15") {
      app.remove("proxy.ts")
      app.write("middleware.ts", readFixture("next-auth-5").get("proxy.ts")?.replace("as proxy", "as middleware") ?? "")
    }
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

  async function signIn({ page, email }: Visitor): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signin?callbackUrl=/private`)
    await page.locator("input[name=username]").fill(email)
    await page.locator("input[name=password]").fill(password)
    await page.locator("form:has(input[name=password]) button[type=submit]").click()
    await page.waitForURL(`${app.origin}/private`)
    expect(await who(page)).toBe(email)
  }

  async function rename(from: readonly string[], to: readonly string[]): Promise<void> {
    app.edit("auth.ts", ...from.map((name, n) => [name, to[n] ?? ""] as const))
    await app.deploy()
  }

  async function expectSession({ page, email, cookies }: Visitor): Promise<void> {
    // The proxy lets the visitor in, and the claims of the app are in the session.
    await page.goto(`${app.origin}/private`)
    expect(new URL(page.url()).pathname).toBe("/private")
    expect(await who(page)).toBe(email)
    expect(await page.locator("pre").textContent()).toContain('"role":"admin"')
    expect(await listSessionCookies(page)).toEqual(cookies)
  }

  async function signOut({ page }: Visitor): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signout?callbackUrl=/`)
    await page.locator("form button[type=submit]").click()
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe("nobody")
    await page.goto(`${app.origin}/private`)
    expect(new URL(page.url()).pathname).toBe("/api/auth/signin")
    expect(await listSessionCookies(page)).toEqual([])
  }

  it("keeps its sessions when it moves to ours, and ours when it moves back", async () => {
    const name = "authjs.session-token"
    const ada: Visitor = { page: await openPage(true), email: address, cookies: [name] }
    const ben: Visitor = {
      page: await openPage(false),
      email: "ben@example.com",
      cookies: [`${name}.0`, `${name}.1`],
    }
    for (const visitor of [ada, ben]) await signIn(visitor)
    await rename(theirs, ours)
    for (const visitor of [ada, ben]) await expectSession(visitor)
    await signOut(ben)
    await signIn(ben)
    expect(app.output()).not.toMatch(/error/i)

    await rename(ours, theirs)
    for (const visitor of [ada, ben]) await expectSession(visitor)
    await signOut(ada)
  })
})
