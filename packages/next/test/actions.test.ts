import { AuthError, CredentialsSignin, MissingCSRF } from "@latchkey/core/errors"
import { readSignOutForm } from "@latchkey/core/integration"
import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { testFormActions } from "@latchkey/testkit/integration"
import { describe, expect, it, vi } from "vitest"
import type { SignOutOptions } from "../src/actions.js"
import type { NextAuthConfig } from "../src/config.js"
import { NextAuth } from "../src/next-auth.js"
import { createTestBrowser, right, testConfig } from "./app.js"
import { RedirectError } from "./doubles/navigation.js"
import { RequestScope, scopes } from "./doubles/request-scope.js"
import { NextRequest } from "./doubles/server.js"

const sessionCookie = "__Secure-authjs.session-token"

function open(changes: Partial<NextAuthConfig> = {}) {
  return { app: NextAuth(testConfig(changes)), browser: createTestBrowser() }
}

function formOf(fields: Record<string, string | Blob>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

/** The URL that an action redirects to. */
async function redirectUrl(action: Promise<unknown>): Promise<string> {
  const thrown: unknown = await action.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof RedirectError) return thrown.url
  throw thrown ?? new Error("The action did not redirect")
}

describe("signIn", () => {
  it("throws the rejection without redirecting or setting a cookie", async () => {
    const { app, browser } = open()
    const attempt = browser.inRequest(() => app.signIn("credentials", formOf({ username: "ada", password: "wrong" })))
    await expect(attempt).rejects.toBeInstanceOf(CredentialsSignin)
    expect([...browser.jar.keys()]).toEqual([])
  })

  it("identifies the rejection by its type", async () => {
    const { app, browser } = open()
    const outcome = await browser.inRequest(async () => {
      try {
        return await app.signIn("credentials", { username: "ada", password: "wrong" })
      } catch (error) {
        if (!(error instanceof AuthError)) throw error
        switch (error.type) {
          case "CredentialsSignin":
            return "wrong"
          default:
            return "failed"
        }
      }
    })
    expect(outcome).toBe("wrong")
  })

  it("CSRF-10: rejects a form of another site that Next let through", async () => {
    const { app, browser } = open()
    const origin = { origin: "https://evil.test" }
    const attempt = browser.inRequest(() => app.signIn("credentials", right), origin)
    await expect(attempt).rejects.toBeInstanceOf(MissingCSRF)
    await expect(browser.inRequest(() => app.signOut(), origin)).rejects.toBeInstanceOf(MissingCSRF)
    await expect(browser.inRequest(() => app.updateSession({}), origin)).rejects.toBeInstanceOf(MissingCSRF)
  })

  it("URL-01: never redirects to another site", async () => {
    const { app, browser } = open()
    const fields = { ...right, callbackUrl: "https://evil.test/x" }
    expect(await redirectUrl(browser.inRequest(() => app.signIn("credentials", formOf(fields))))).toBe(
      "https://app.test",
    )
    const options = { ...right, redirectTo: "https://evil.test/x" }
    expect(await redirectUrl(browser.inRequest(() => app.signIn("credentials", options)))).toBe("https://app.test")
  })

  it("signs in with a form, withholds Next's own fields and files from the provider, and redirects", async () => {
    const authorize = vi.fn(() => ({ id: "ada" }))
    const { app, browser } = open({
      providers: [{ id: "credentials", name: "Password", type: "credentials", credentials: {}, authorize }],
    })
    const form = formOf({ ...right, redirectTo: "/in", $ACTION_ID_1: "", file: new Blob(["x"]) })
    expect(await redirectUrl(browser.inRequest(() => app.signIn("credentials", form)))).toBe("https://app.test/in")
    expect(authorize).toHaveBeenCalledWith(right, expect.anything())
    expect(browser.jar.has(sessionCookie)).toBe(true)
  })

  it("returns the URL with redirect: false", async () => {
    const { app, browser } = open()
    const url: string = await browser.inRequest(() =>
      app.signIn("credentials", { ...right, redirectTo: "/in", redirect: false }),
    )
    expect(url).toBe("https://app.test/in")
    expect(browser.jar.has(sessionCookie)).toBe(true)
  })

  it.each(["jwt", "database"] as const)(
    "completes a sign-in with the code of a mail, with %s sessions",
    async (strategy) => {
      const codes: string[] = []
      const sendVerificationRequest = async ({ code = "" }) => void codes.push(code)
      const providers = [testEmail({ code: true, sendVerificationRequest })]
      const { app, browser } = open({ providers, adapter: memoryAdapter(), session: { strategy } })
      const sent = await redirectUrl(
        browser.inRequest(() => app.signIn("email", formOf({ email: "grace@example.com", redirectTo: "/in" }))),
      )
      expect(sent).toContain("/api/auth/verify-request?provider=email")
      const wrong = browser.inRequest(() => app.signIn("email", formOf({ code: "no code" })))
      await expect(wrong).rejects.toMatchObject({ type: "CodeWrong" })
      const stranger = createTestBrowser()
      await expect(stranger.inRequest(() => app.signIn("email", { code: codes[0] ?? "" }))).rejects.toBeInstanceOf(
        AuthError,
      )
      expect([browser.jar.has(sessionCookie), stranger.jar.has(sessionCookie)]).toEqual([false, false])
      const form = formOf({ code: codes[0] ?? "" })
      expect(await redirectUrl(browser.inRequest(() => app.signIn("email", form)))).toBe("https://app.test/in")
      expect((await browser.inGet(() => app.auth()))?.user?.email).toBe("grace@example.com")
    },
  )

  it("returns to the page that called it", async () => {
    const { app, browser } = open()
    const referer = { referer: "https://app.test/shop?item=1" }
    const url = await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }), referer)
    expect(url).toBe("https://app.test/shop?item=1")
  })

  it("redirects to the sign-in page without a provider or with an unknown one", async () => {
    const { app, browser } = open()
    const built = "https://app.test/api/auth/signin?callbackUrl=%2Fin"
    expect(await redirectUrl(browser.inRequest(() => app.signIn(undefined, { redirectTo: "/in" })))).toBe(built)
    expect(await redirectUrl(browser.inRequest(() => app.signIn("unknown", { redirectTo: "/in" })))).toBe(built)
    const own = NextAuth(testConfig({ pages: { signIn: "/login" } }))
    expect(await redirectUrl(browser.inRequest(() => own.signIn()))).toBe("/login?callbackUrl=%2F")
  })

  it.each([
    ["a string", "login_hint=ada"],
    ["pairs", [["login_hint", "ada"]] as [string, string][]],
    ["an object", { login_hint: "ada" }],
    ["parameters", new URLSearchParams({ login_hint: "ada" })],
  ])("adds %s to the provider's authorization URL", async (_, params) => {
    const endpoints = { authorization: "https://idp.test/authorize", token: "https://idp.test/token" }
    const provider = { id: "idp", name: "Identity", type: "oauth", clientId: "rp", clientSecret: "s" } as const
    const userinfo = "https://idp.test/me"
    const { app, browser } = open({
      providers: [{ ...provider, ...endpoints, userinfo, profile: () => ({ id: "1" }) }],
    })
    const url = new URL(await redirectUrl(browser.inRequest(() => app.signIn("idp", {}, params))))
    expect([url.origin, url.searchParams.get("login_hint")]).toEqual(["https://idp.test", "ada"])
    expect(url.searchParams.get("redirect_uri")).toBe("https://app.test/api/auth/callback/idp")
  })

  it.each(["prefetch", "prefetch;prerender"])("begins no flow for a request with the purpose %s", async (purpose) => {
    const { app, browser } = open()
    const url = await redirectUrl(browser.inRequest(() => app.signIn("credentials", right), { "sec-purpose": purpose }))
    expect(url).toMatch(/^https:\/\/app\.test\/api\/auth\/signin\?/)
    expect([...browser.jar.keys()]).toEqual([])
  })

  const endpoints = { authorization: "https://idp.test/a", token: "https://idp.test/t", userinfo: "https://idp.test/u" }
  const client = { clientId: "rp", clientSecret: "s", profile: () => ({ id: "1" }) }
  const idp = { id: "idp", name: "Identity", type: "oauth", ...client, ...endpoints } as const
  const followed = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" }

  it.each([
    ["a link of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
    ["a prefetched link of the app", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }],
    ["a client without fetch metadata", {}],
    ["a script that chose a Content-Type", { "sec-fetch-site": "same-site", "content-type": "text/plain" }],
  ])("CSRF-01: leads %s to the sign-in page, and starts nothing", async (_, headers) => {
    const { app, browser } = open({ providers: [idp] })
    const url = await redirectUrl(browser.inGet(() => app.signIn("idp", { redirectTo: "/in" }), headers))
    expect(url).toBe("https://app.test/api/auth/signin?callbackUrl=%2Fin")
    expect([...browser.jar.keys()]).toEqual([])
  })

  it("starts a sign-in for a link of the app that is followed", async () => {
    const { app, browser } = open({ providers: [idp] })
    const url = await redirectUrl(browser.inGet(() => app.signIn("idp"), followed))
    expect(URL.parse(url)?.origin).toBe("https://idp.test")
  })

  it("redirects to the sign-in page and logs the failure if a provider is down", async () => {
    const error = vi.fn()
    const provider = { id: "idp", name: "Identity", type: "oidc", issuer: "http://127.0.0.1:1", ...client } as const
    const { app, browser } = open({ providers: [provider], logger: { error } })
    expect(await redirectUrl(browser.inRequest(() => app.signIn("idp")))).toBe("/api/auth/signin?error=OAuthSignin")
    expect(error).toHaveBeenCalledOnce()
    const url = await browser.inRequest(() => app.signIn("idp", { redirect: false }))
    expect(url).toBe("/api/auth/signin?error=OAuthSignin")
  })

  it("redirects to the error page for an invalid configuration", async () => {
    const { app, browser } = open({ secret: "" })
    const url = await redirectUrl(browser.inRequest(() => app.signIn("credentials", right)))
    expect(url).toBe("/api/auth/error?error=Configuration")
  })

  it("redirects to the sign-in page if the mail server fails", async () => {
    const email = { ...testEmail(), sendVerificationRequest: () => Promise.reject(new Error("ECONNREFUSED")) }
    const { app, browser } = open({ adapter: memoryAdapter(), providers: [email] })
    const url = await redirectUrl(browser.inRequest(() => app.signIn("email", formOf({ email: "grace@example.com" }))))
    expect(url).toMatch(/\?error=EmailSignin$/)
  })

  it("emails a sign-in link", async () => {
    const sent: string[] = []
    const email = { ...testEmail(), sendVerificationRequest: ({ url }: { url: string }) => void sent.push(url) }
    const { app, browser } = open({ adapter: memoryAdapter(), providers: [email] })
    const url = await redirectUrl(browser.inRequest(() => app.signIn("email", formOf({ email: "grace@example.com" }))))
    expect(url).toMatch(/^https:\/\/app\.test\/api\/auth\/verify-request\?/)
    expect(sent[0]).toMatch(/^https:\/\/app\.test\/api\/auth\/callback\/email\?/)
  })
})

describe("signOut", () => {
  it("ends the session and redirects", async () => {
    const { app, browser } = open()
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    expect(await redirectUrl(browser.inRequest(() => app.signOut({ redirectTo: "/bye" })))).toBe("https://app.test/bye")
    expect(browser.jar.has(sessionCookie)).toBe(false)
    expect(await browser.inRequest(() => app.signOut({ redirect: false }))).toBe("https://app.test/")
  })

  it("CSRF-01: leads a link to the sign-out page, and ends nothing", async () => {
    const { app, browser } = open()
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    const link = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" }
    const url = await redirectUrl(browser.inGet(() => app.signOut({ redirectTo: "/bye" }), link))
    expect(url).toBe("/api/auth/signout?callbackUrl=%2Fbye")
    expect(browser.jar.has(sessionCookie)).toBe(true)
  })

  it("CSRF-01: ends nothing for a GET of a sibling domain's script, which may choose its Content-Type", async () => {
    const { app, browser } = open()
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    const script = { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "content-type": "text/plain" }
    expect(await redirectUrl(browser.inGet(() => app.signOut(), script))).toBe("/api/auth/signout")
    expect(browser.jar.has(sessionCookie)).toBe(true)
  })
})

describe("updateSession and unstable_update", () => {
  it("passes the data to the callbacks, and updates the session for the rest of the request", async () => {
    const { app, browser } = open({
      callbacks: {
        jwt: ({ token, trigger, session }) => {
          const name: unknown = trigger === "update" && Reflect.get(Object(session), "name")
          return typeof name === "string" ? { ...token, name } : token
        },
      },
    })
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    await browser.inRequest(async () => {
      expect((await app.unstable_update({ name: "Countess Ada" }))?.user?.name).toBe("Countess Ada")
      expect((await app.auth())?.user?.name).toBe("Countess Ada")
    })
    expect((await browser.inRequest(() => app.auth()))?.user?.name).toBe("Countess Ada")
    expect(app.updateSession).toBe(app.unstable_update)
  })

  it("returns null when signed out", async () => {
    const { app, browser } = open()
    expect(await browser.inRequest(() => app.updateSession({ name: "Mallory" }))).toBeNull()
  })
})

describe("signIn, signOut and updateSession for forms", () => {
  testFormActions(
    (config, answer) => {
      const app = NextAuth(config)
      async function handler(request: Request): Promise<Response> {
        const { pathname, search, host } = new URL(request.url)
        const headers = new Headers(request.headers)
        headers.set("x-forwarded-host", host)
        headers.set("x-forwarded-proto", "http")
        if (pathname !== "/form") {
          const { method, body } = request
          const init: RequestInit & { duplex: "half" } = { method, headers, body, duplex: "half" }
          const route = method === "POST" ? app.handlers.POST : app.handlers.GET
          return await route(new NextRequest(`http://localhost:3000${pathname}${search}`, init))
        }
        const scope = new RequestScope(headers)
        const { body } = await scopes.run(scope, () =>
          answer({
            getSession: () => app.auth(),
            signIn: (form) => redirectUrl(app.signIn(String(form.get("providerId")), form)),
            signOut: (form) => redirectUrl(app.signOut(readSignOutForm(form) as SignOutOptions)),
            updateSession: (data) => app.updateSession(data),
          }),
        )
        // Next forbids to store the answer of an action.
        const sent = new Response(body, { headers: { "cache-control": "no-cache, no-store, max-age=0" } })
        for (const line of scope.setCookies) sent.headers.append("set-cookie", line)
        return sent
      }
      return { origin: "http://app.test", handler }
    },
    { needsOrigin: false, knowsMethod: false, renewsLast: false },
  )
})
