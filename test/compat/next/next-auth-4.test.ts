import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { address, password, secret } from "../test/sessions/former.js"
import { type IdentityProvider, logInAtProvider, openIdentityProvider } from "../test/sessions/identity-provider.js"
import { changeValue, readSessionCookies, toCookieHeader } from "./cookies.js"
import { createNextApp, type NextApp, readFixture } from "./next-app.js"
import { versions } from "./packages.js"
import { type Shape, shapes, type Way } from "./shapes.js"

// Apps of the shapes that the example of next-auth 4 and create-t3-app have, in a published Next. Visitors sign in, and
// `latchkey move` moves the app, which is then built and deployed on the same port.

interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
}

/** The shapes of one app in one version of Next, which visitors sign in to once. */
const groups = versions.flatMap((version) => {
  const here = shapes.filter((shape) => shape.versions?.includes(version) ?? true)
  return [...new Set(here.map(({ name }) => name))].map((name) => {
    return { name, version, moved: here.filter((shape) => shape.name === name) }
  })
})

describe.skipIf(!hasChromium).each(groups)("an app like $name in Next $version", ({ name, version, moved }) => {
  let browser: Browser
  let provider: IdentityProvider
  let app: NextApp
  let folder: string
  /** By shape: with and without scripts, and one more. */
  const visitors = new Map<Shape, readonly Visitor[]>()
  const opened: BrowserContext[] = []

  async function openPage(): Promise<Page> {
    const context = await browser.newContext()
    opened.push(context)
    return await context.newPage()
  }
  const pathOf = (page: Page) => new URL(page.url()).pathname
  const who = (page: Page) => page.locator("#who").textContent()
  const countSessions = () =>
    readdirSync(folder, { recursive: true }).filter((file) => /session.[^:/]+$/.test(String(file))).length

  /** Opens a page that is protected, or signs in for one that is not, and gets there. */
  async function signIn(page: Page, way: Way, { protectedPages: [target] }: Shape): Promise<void> {
    await page.goto(`${app.origin}${target ?? "/api/auth/signin?callbackUrl=/"}`)
    expect(pathOf(page)).toBe("/api/auth/signin")
    if (way === "credentials") {
      await page.locator("input[name=username]").fill(address)
      await page.locator("input[name=password]").fill(password)
      await page.locator("form:has(input[name=password]) button[type=submit]").click()
    } else {
      await page.getByRole("button", { name: /Sign in with (Local|Keycloak)/ }).click()
      await logInAtProvider(page, address)
    }
    await page.waitForURL(`${app.origin}${target ?? "/"}`)
    await page.goto(app.origin)
    expect(await who(page)).toBe(address)
  }

  async function signOut(page: Page): Promise<void> {
    await page.goto(`${app.origin}/api/auth/signout?callbackUrl=/`)
    await page.locator("form button[type=submit]").click()
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe("nobody")
  }

  async function signInThere(javaScriptEnabled: boolean, shape: Shape): Promise<Visitor> {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await signIn(page, shape.ways[0], shape)
    return { page, context }
  }

  beforeAll(async () => {
    browser = await launchChromium()
    folder = mkdtempSync(join(tmpdir(), "latchkey-next-auth-"))
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
    await app.deployFormer()
    for (const shape of moved) {
      const signedIn = [await signInThere(true, shape), await signInThere(false, shape), await signInThere(true, shape)]
      visitors.set(shape, signedIn)
    }
  })
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close()
  })
  afterAll(async () => {
    await app?.stop()
    await provider?.stop()
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  describe.each(moved.map((shape) => [toTitle(shape), shape] as const))("%s", (_title, shape) => {
    let questions: readonly string[]
    const visitorOf = (index: number) => visitors.get(shape)?.[index] ?? expect.fail()

    beforeAll(async () => {
      app.restore()
      shape.prepare?.(app)
      const { code, output } = await app.move(...shape.options)
      expect(code).toBe(0)
      questions = [...output.matchAll(/^ +\d+\. (\S+:\d+) /gm)].map(([, place = ""]) => place)
      shape.answer(app, version)
      await app.deploy()
    })

    it("asks what a person has to decide", () => {
      expect(questions).toEqual(shape.questions)
    })

    it.each(shape.protectedPages)(
      "lets nobody in at %s without a session, or with one that was changed",
      async (path) => {
        const cookies = await readSessionCookies(visitorOf(0).context)
        const changed = toCookieHeader(cookies.map(({ name, value }) => ({ name, value: changeValue(value) })))
        for (const cookie of ["", changed]) {
          const answer = await fetch(app.origin + path, { headers: { cookie }, redirect: "manual" })
          const target = new URL(answer.headers.get("location") ?? expect.fail(), app.origin)
          expect([answer.status, target.pathname]).toEqual([307, "/api/auth/signin"])
          expect(target.searchParams.get("callbackUrl")).toContain(path)
        }
      },
    )

    it.each([0, 1])(
      "keeps the session on the first page, and ends it with the sign-out (visitor %s)",
      async (index) => {
        const { page, context } = visitorOf(index)
        // As the browser has them now: version 4 renews its token with each call of its client.
        const cookies = await context.cookies()
        const [first] = shape.pages
        const response = await page.goto(`${app.origin}${first}`)
        expect(pathOf(page)).toBe(first)
        expect(response?.headers()).toMatchObject(shape.headers ?? {})
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
      },
    )

    it("MIG-12: answers five first requests at once from one session", async () => {
      const cookie = toCookieHeader(await visitorOf(2).context.cookies())
      const before = countSessions()
      const ask = async (path: string) => (await fetch(app.origin + path, { headers: { cookie } })).text()
      const paths = ["/", "/api/auth/session", "/", "/api/auth/session", "/api/auth/session"]
      const texts = await Promise.all(paths.map(ask))
      for (const text of texts) expect(text).toContain(address)
      expect(countSessions() - before).toBe(shape.sessionsOfOne)
    })

    it.each(shape.ways)("signs in anew with %s, and out", async (way) => {
      const page = await openPage()
      await signIn(page, way, shape)
      await signOut(page)
    })

    it("logs no error", () => {
      expect(app.listErrors()).toEqual([])
    })
  })
})

function toTitle({ form, options }: Shape): string {
  return `moved by latchkey move ${[...options, form ? `with ${form}` : ""].join(" ")}`.trim()
}
