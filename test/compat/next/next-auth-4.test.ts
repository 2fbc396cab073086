import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { address, password, secret } from "../test/sessions/former.js"
import { type IdentityProvider, logInAtProvider, openIdentityProvider } from "../test/sessions/identity-provider.js"
import { createNextApp, type NextApp, readFixture } from "./next-app.js"
import { versions } from "./packages.js"
import { type Shape, shapes, type Way } from "./shapes.js"

// Apps of the shapes that the example of next-auth 4 and create-t3-app have, in a published Next. Visitors sign in, and
// `latchkey move` moves the app, which is then built and deployed on the same port.

interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
}

const cases = versions.flatMap((version) =>
  shapes
    .filter((shape) => shape.versions?.includes(version) ?? true)
    .map((shape) => [toTitle(shape, version), { ...shape, version }] as const),
)

function toTitle({ name, options }: Shape, version: string): string {
  return `an app like ${name}, moved by latchkey move ${[...options, ""].join(" ")}in Next ${version}`
}

describe.skipIf(!hasChromium).each(cases)("%s", (_title, shape) => {
  let browser: Browser
  let provider: IdentityProvider
  let app: NextApp
  let folder: string
  let questions: readonly string[]
  /** With and without scripts. */
  let visitors: readonly Visitor[]
  const opened: BrowserContext[] = []

  async function openPage(javaScriptEnabled = true): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled })
    opened.push(context)
    return await context.newPage()
  }
  const who = (page: Page) => page.locator("#who").textContent()
  const countSessions = () =>
    readdirSync(folder, { recursive: true }).filter((file) => /session.[^:/]+$/.test(String(file))).length

  async function signIn(page: Page, way: Way): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signin?callbackUrl=/`)
    if (way === "credentials") {
      await page.locator("input[name=username]").fill(address)
      await page.locator("input[name=password]").fill(password)
      await page.locator("form:has(input[name=password]) button[type=submit]").click()
    } else {
      await page.getByRole("button", { name: /Sign in with (Local|Keycloak)/ }).click()
      await logInAtProvider(page, address)
    }
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe(address)
  }

  async function signOut(page: Page): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signout?callbackUrl=/`)
    await page.locator("form button[type=submit]").click()
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe("nobody")
  }

  async function signInThere(javaScriptEnabled: boolean): Promise<Visitor> {
    const page = await openPage(javaScriptEnabled)
    await signIn(page, shape.ways[0])
    return { page, context: page.context() }
  }

  beforeAll(async () => {
    browser = await launchChromium()
    folder = mkdtempSync(join(tmpdir(), "latchkey-next-auth-"))
    const { version, name } = shape
    app = await createNextApp({ version, name, files: readFixture(name) })
    provider = await openIdentityProvider(["local", "keycloak"].map((id) => `${app.origin}/api/auth/callback/${id}`))
    app.setVariables({
      NEXTAUTH_URL: app.origin,
      NEXTAUTH_SECRET: secret,
      OIDC_ID: provider.clientId,
      OIDC_SECRET: provider.clientSecret,
      OIDC_ISSUER: provider.issuer,
      DATABASE_FOLDER: folder,
    })
    await app.deploy()
    visitors = [await signInThere(true), await signInThere(false), await signInThere(true)]
    const { code, output } = await app.move(...shape.options)
    expect(code).toBe(0)
    questions = [...output.matchAll(/^ +\d+\. (\S+:\d+) /gm)].map(([, place = ""]) => place)
    shape.answer(app, version)
    await app.deploy()
  })
  afterEach(async () => {
    // Those of the visitors stay until the end.
    for (const context of opened.splice(visitors.length)) await context.close()
  })
  afterAll(async () => {
    await app?.stop()
    await provider?.stop()
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  it("asks what a person has to decide", () => {
    expect(questions).toEqual(shape.questions)
  })

  it.each([0, 1])("keeps the session on the first page, and ends it with the sign-out (visitor %s)", async (index) => {
    const { page, context } = visitors[index] ?? expect.fail()
    // As the browser has them now: version 4 renews its token with each call of its client.
    const cookies = await context.cookies()
    const [first] = shape.pages
    await page.goto(`${app.origin}${first}`)
    expect(new URL(page.url()).pathname).toBe(first)
    for (const path of shape.pages.slice(1)) {
      await page.goto(`${app.origin}${path}`)
      expect(await who(page)).toBe(address)
    }
    // Server components set no cookies, so these have to go on without.
    if (shape.hasOnlyServerComponents) await page.goto(`${app.origin}/api/auth/session`)
    const names = (await context.cookies()).map(({ name }) => name)
    expect(names).toContain("authjs.session-token")
    expect(names).not.toContain("next-auth.session-token")

    await signOut(page)
    await context.addCookies(cookies)
    await page.goto(app.origin)
    expect(await who(page)).toBe("nobody")
  })

  it("MIG-12: answers five first requests at once from one session", async () => {
    const [, , { context } = expect.fail()] = visitors
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ")
    const before = countSessions()
    const ask = async (path: string) => (await fetch(app.origin + path, { headers: { cookie } })).text()
    const paths = ["/", "/api/auth/session", "/", "/api/auth/session", "/api/auth/session"]
    const texts = await Promise.all(paths.map(ask))
    for (const text of texts) expect(text).toContain(address)
    expect(countSessions() - before).toBe(shape.sessionsOfOne)
  })

  it.each(shape.ways)("signs in anew with %s, and out", async (way) => {
    const page = await openPage()
    await signIn(page, way)
    await signOut(page)
  })

  it("logs no error", () => {
    expect(app.output()).not.toMatch(/error/i)
  })
})
