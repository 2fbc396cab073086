import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { address, password, secret } from "../test/sessions/former.js"
import { changeValue, readSessionCookies, toCookieHeader } from "./cookies.js"
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
  return (await readSessionCookies(page.context())).map(({ name }) => name).sort()
}

const matcher = 'export const config = { matcher: ["/((?!_next/static|_next/image|favicon.ico).*)"] }\n'
const exported = `export { auth as middleware } from "@/auth"\n\n${matcher}`
const wrapped = `import { NextResponse } from "next/server"
import { auth } from "@/auth"

export default auth((request) => {
  if (request.nextUrl.pathname !== "/seen") return
  return NextResponse.json({ seen: request.auth?.user?.email ?? "nobody" })
})

${matcher}`

/** The file of that form. Next 15 has no proxy.ts, and its middleware.ts is another build for what Next 16 shows. */
const wrappers: Readonly<Record<string, readonly string[]>> = { 15: [], 16: ["proxy.ts"] }

describe.skipIf(!hasChromium).each(versions)("an app of next-auth 5 in Next %s", (version) => {
  let browser: Browser
  let app: NextApp
  let ada: Visitor
  let ben: Visitor

  beforeAll(async () => {
    browser = await launchChromium()
    app = await createNextApp({ version, name: "next-auth-5", files: readFixture("next-auth-5") })
    app.write("middleware.ts", exported)
    app.setVariables({
      AUTH_SECRET: secret,
      AUTH_URL: app.origin,
      AUTH_KEYCLOAK_ID: "an-id",
      AUTH_KEYCLOAK_SECRET: "a-secret",
      AUTH_KEYCLOAK_ISSUER: "https://keycloak.test",
    })
    await app.deployFormer()
    const name = "authjs.session-token"
    ada = { page: await openPage(true), email: address, cookies: [name] }
    ben = { page: await openPage(false), email: "ben@example.com", cookies: [`${name}.0`, `${name}.1`] }
    for (const visitor of [ada, ben]) await signIn(visitor)
    app.edit("auth.ts", ...theirs.map((module, n) => [module, ours[n] ?? ""] as const))
    await app.deploy()
  })
  afterAll(async () => {
    await app?.stop()
    await browser?.close()
  })

  const openPage = async (javaScriptEnabled: boolean) => (await browser.newContext({ javaScriptEnabled })).newPage()
  const who = (page: Page) => page.locator("#who").textContent()

  async function signIn({ page, email }: Visitor): Promise<void> {
    // The proxy sends visitors to the sign-in, and this back.
    await page.goto(`${app.origin}/private`)
    expect(new URL(page.url()).pathname).toBe("/api/auth/signin")
    await page.locator("input[name=username]").fill(email)
    await page.locator("input[name=password]").fill(password)
    await page.locator("form:has(input[name=password]) button[type=submit]").click()
    await page.waitForURL(`${app.origin}/private`)
    expect(await who(page)).toBe(email)
  }

  async function signOut({ page }: Visitor): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signout?callbackUrl=/`)
    await page.locator("form button[type=submit]").click()
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe("nobody")
    expect(await listSessionCookies(page)).toEqual([])
  }

  async function expectSession({ page, email, cookies }: Visitor): Promise<void> {
    // The proxy lets the visitor in, and the claims of the app are in the session.
    await page.goto(`${app.origin}/private`)
    expect(new URL(page.url()).pathname).toBe("/private")
    expect(await who(page)).toBe(email)
    expect(await page.locator("pre").textContent()).toContain('"role":"admin"')
    expect(await listSessionCookies(page)).toEqual(cookies)
  }

  /** Without a session, and with one that was changed. */
  async function expectRefusals({ page }: Visitor): Promise<void> {
    const cookies = await readSessionCookies(page.context())
    const changed = toCookieHeader(cookies.map(({ name, value }) => ({ name, value: changeValue(value) })))
    for (const cookie of ["", changed]) {
      const { status, headers } = await fetch(`${app.origin}/private`, { headers: { cookie }, redirect: "manual" })
      expect([status, headers.get("location")]).toEqual([
        307,
        expect.stringMatching(/\/api\/auth\/signin\?callbackUrl=/),
      ])
    }
  }

  it("lets nobody in without a session after it has moved to ours", async () => {
    await expectRefusals(ada)
  })

  it("keeps its sessions when it moves to ours", async () => {
    for (const visitor of [ada, ben]) await expectSession(visitor)
    expect(app.listErrors()).toEqual([])
  })

  it("signs visitors of ours out and in", async () => {
    for (const visitor of [ada, ben]) {
      await signOut(visitor)
      await signIn(visitor)
    }
    expect(app.listErrors()).toEqual([])
  })

  it.each(wrappers[version] ?? expect.fail())("keeps them with auth((request) => …) in %s", async (file) => {
    app.remove("middleware.ts")
    app.write(file, wrapped)
    await app.deploy()
    await expectRefusals(ada)
    for (const visitor of [ada, ben]) {
      await expectSession(visitor)
      await visitor.page.goto(`${app.origin}/seen`)
      expect(await visitor.page.locator("body").textContent()).toContain(`{"seen":"${visitor.email}"}`)
    }
    expect(app.listErrors()).toEqual([])
  })

  it("keeps our sessions when it moves back, signs visitors out, and lets them in again", async () => {
    await app.goBack()
    for (const visitor of [ada, ben]) await expectSession(visitor)
    for (const visitor of [ada, ben]) {
      await signOut(visitor)
      await signIn(visitor)
    }
  })
})
