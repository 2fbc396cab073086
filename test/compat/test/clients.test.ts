import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { bundle, type ClientApp, openClientApp, reachIdentityProvider } from "./clients/client-app.js"

// The published clients and ours, in Chromium, with our service over HTTP.

const right = { username: "ada", password: "correct horse", redirect: false }

describe.skipIf(!hasChromium)("in a browser", () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let app: ClientApp
  let open: () => Promise<ClientApp>
  const mistakes: string[] = []

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    app = await open()
    context = await browser.newContext()
    await reachIdentityProvider(context, app.host)
    page = await newPage()
  })
  afterEach(async () => {
    await context.close()
    await app.close()
    expect(mistakes.splice(0)).toEqual([])
  })

  async function newPage(path = "/"): Promise<Page> {
    const opened = await context.newPage()
    opened.on("pageerror", (error) => mistakes.push(error.message))
    await opened.goto(app.origin + path)
    return opened
  }

  /** Calls a client function on the page. */
  const call = (name: string, ...args: readonly unknown[]): Promise<unknown> =>
    page.evaluate(([called, given]) => Reflect.get(window, "client")[called](...given), [name, args] as const)

  /** Calls a client function that navigates. */
  async function leave(target: string | RegExp, name: string, ...args: readonly unknown[]): Promise<void> {
    const arrival = page.waitForURL(typeof target === "string" ? app.origin + target : target)
    await call(name, ...args).catch((error: unknown) => {
      if (!String(error).includes("Execution context was destroyed")) throw error
    })
    await arrival
  }

  const session = async (): Promise<{ user?: { name?: string; email?: string } } | null> =>
    (await context.request.get(`${app.origin}${app.host.config.basePath}/session`)).json()

  const shows = (text: string, on = page) => expect.poll(() => on.locator("main p").textContent()).toBe(text)

  describe.each(["next-auth/react", "next-auth4/react", "@latchkey/react"])("%s", (name) => {
    let script: string
    beforeAll(async () => {
      script = await bundle(
        `import * as client from "${name}"\nimport { showSession } from "./show-session.js"\nshowSession(client)`,
      )
      open = () => openClientApp({ basePath: "/api/auth", script })
    })

    it("returns the error for a wrong password", async () => {
      await shows("unauthenticated: nobody")
      const refusal = await call("signIn", "credentials", { ...right, password: "wrong" })
      expect(refusal).toMatchObject({ error: "CredentialsSignin", status: 200, ok: true, url: null })
      expect(await session()).toBeNull()
      await shows("unauthenticated: nobody")
    })

    it("redirects to the error page", async () => {
      await leave(/\/api\/auth\/signin\?.*error=CredentialsSignin/, "signIn", "credentials", { username: "ada" })
      expect(await page.getByRole("alert").count()).toBeGreaterThan(0)
    })

    it.each(["credentials", "staff"])(
      "signs in with the password provider %s, updates and signs out",
      async (provider) => {
        const answer = await call("signIn", provider, { ...right, callbackUrl: "/in" })
        expect(answer).toMatchObject({ ok: true, status: 200, url: `${app.origin}/in` })
        await shows("authenticated: Ada Lovelace")
        expect(await call("update", { name: "Countess Ada" })).toMatchObject({ user: { name: "Countess Ada" } })
        await shows("authenticated: Countess Ada")
        expect(await call("getSession")).toMatchObject({ user: { name: "Countess Ada" } })
        expect(await call("signOut", { redirect: false, callbackUrl: "/bye" })).toMatchObject({
          url: `${app.origin}/bye`,
        })
        await shows("unauthenticated: nobody")
        expect(await session()).toBeNull()
      },
    )

    it("notifies other tabs of a sign-out", async () => {
      await call("signIn", "credentials", right)
      const other = await newPage()
      await shows("authenticated: Ada Lovelace", other)
      await call("signOut", { redirect: false })
      await shows("unauthenticated: nobody", other)
    })

    const tellsOfSignIns = name === "@latchkey/react"

    it(`${tellsOfSignIns ? "notifies" : "does not notify"} other tabs of a sign-in`, async () => {
      const other = await newPage()
      await shows("unauthenticated: nobody", other)
      await call("signIn", "credentials", right)
      if (tellsOfSignIns) await shows("authenticated: Ada Lovelace", other)
      else await shows("unauthenticated: nobody", other)
    })

    it("sends an email and stays on the page", async () => {
      const answer = await call("signIn", "email", { email: "ada@example.com", redirect: false, callbackUrl: "/in" })
      expect(answer).toMatchObject({ ok: true, url: expect.stringContaining("/api/auth/verify-request") })
      await page.goto(app.host.mailbox.lastLink())
      expect(page.url()).toBe(`${app.origin}/in`)
      expect((await session())?.user?.email).toBe("ada@example.com")
    })

    it("signs in with an identity provider, and out again", async () => {
      await leave("/in", "signIn", "oidc", { callbackUrl: "/in" }, { login_hint: "ada" })
      await shows("authenticated: Ada Lovelace")
      expect(app.host.idp.requests.authorization[0]?.params.get("login_hint")).toBe("ada")
      await leave("/bye", "signOut", { callbackUrl: "/bye" })
      await shows("unauthenticated: nobody")
    })

    it("opens the sign-in page, for signIn() without a provider and for required sessions, and returns", async () => {
      await leave(/\/api\/auth\/signin\?callbackUrl=/, "signIn")
      await page.goto(`${app.origin}/members?required`)
      await page.waitForURL(/\/api\/auth\/signin\?.*error=SessionRequired/)
      // The page folds it below the form for the address.
      await page.locator('details:has(form[action$="/callback/credentials"]) > summary').click()
      const form = page.locator('form[action$="/callback/credentials"]')
      await form.getByLabel("username").fill("ada")
      await form.getByLabel("password").fill("correct horse")
      await form.getByRole("button").last().click()
      await page.waitForURL(`${app.origin}/members?required`)
      await shows("authenticated: Ada Lovelace")
    })

    it("lists the providers and returns a CSRF token", async () => {
      const providers = await call("getProviders")
      expect(providers).toMatchObject({
        oidc: { type: "oidc" },
        staff: { type: "credentials" },
        email: { type: "email" },
      })
      expect(await call("getCsrfToken")).toMatch(/^[0-9a-f]{64}$/)
    })
  })

  describe.each([
    ["@auth/sveltekit/client", `export * from "@auth/sveltekit/client"`],
    [
      "@latchkey/client, for a framework that protects its forms",
      `import { createAuthClient } from "@latchkey/client"
      export const { signIn, signOut } = createAuthClient({ csrf: false })`,
    ],
  ])("%s", (_, source) => {
    let script: string
    beforeAll(async () => {
      const contents = source.startsWith("export *")
        ? `import * as client from "@auth/sveltekit/client"\nObject.assign(window, { client })`
        : `${source}\nObject.assign(window, { client: { signIn, signOut } })`
      script = await bundle(contents, { "$app/paths": `export const base = ""` })
      open = () => openClientApp({ basePath: "/auth", script, isVerifiedForm: true })
    })

    it("returns the error and the code for a wrong password", async () => {
      const refusal = await call("signIn", "credentials", { ...right, password: "wrong" })
      expect(refusal).toMatchObject({
        error: "CredentialsSignin",
        code: "credentials",
        status: 200,
        ok: true,
        url: null,
      })
      expect(await session()).toBeNull()
    })

    it("signs in with a password with and without a redirect", async () => {
      expect(await call("signIn", "credentials", { ...right, redirectTo: "/in" })).toMatchObject({
        ok: true,
        url: `${app.origin}/in`,
      })
      expect((await session())?.user?.name).toBe("Ada Lovelace")
      await leave("/in", "signIn", "credentials", { ...right, redirect: true, redirectTo: "/in" })
    })

    it("signs out and redirects", async () => {
      await call("signIn", "credentials", right)
      await leave("/bye", "signOut", { redirectTo: "/bye" })
      expect(await session()).toBeNull()
      expect(app.asked.filter((request) => request.endsWith("/csrf"))).toEqual([])
    })

    it("signs in with an identity provider", async () => {
      await leave("/in", "signIn", "oidc", { redirectTo: "/in" })
      expect((await session())?.user?.name).toBe("Ada Lovelace")
    })
  })
})
