import { createServer } from "node:http"
import { skipCSRFCheck } from "@latchkey/core"
import { encode } from "@latchkey/core/jwt"
import { Keycloak } from "@latchkey/core/providers/keycloak"
import type { Adapter, Provider } from "@latchkey/core/types"
import type { NextApiRequest, NextApiResponse } from "next"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { CredentialsProvider } from "../src/v4/credentials.js"
import * as face from "../src/v4/index.js"
import { getServerSession, getToken, NextAuth, type NextAuthOptions, withAuth } from "../src/v4/index.js"
import * as middlewareFace from "../src/v4/middleware.js"
import { createTestBrowser, event, right, testConfig } from "./app.js"
import { asPagesRouter } from "./pages-server.js"

const cookieName = "__Secure-authjs.session-token"
const { secret } = testConfig()

const context = { params: Promise.resolve({ nextauth: ["session"] }) }

async function tokenOf(claims: Record<string, unknown> = { sub: "ada", name: "Ada Lovelace" }): Promise<string> {
  return await encode({ token: claims, secret: String(secret), salt: cookieName })
}

async function signedIn() {
  const browser = createTestBrowser()
  browser.jar.set(cookieName, await tokenOf())
  return browser
}

/** A server that calls an API route of the pages router. */
async function serve(handler: (req: NextApiRequest, res: NextApiResponse) => Promise<unknown>): Promise<string> {
  const server = createServer(asPagesRouter(handler))
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
}

/** Signs Ada in over HTTP, and returns the cookies of the answer. */
async function signInAt(origin: string): Promise<Response> {
  const csrf = await fetch(`${origin}/api/auth/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string } // as: the contract's response.
  const cookie = csrf.headers.getSetCookie().map((line) => line.split(";", 1)[0])
  const body = new URLSearchParams({ ...right, csrfToken })
  const headers = { cookie: cookie.join("; "), origin }
  return await fetch(`${origin}/api/auth/callback/credentials`, { method: "POST", body, headers, redirect: "manual" })
}

describe("@latchkey/next/v4", () => {
  it("exports what next-auth 4 exports, and the errors", () => {
    const own = ["NextAuth", "default", "getServerSession", "getToken", "withAuth", "decode", "encode"]
    expect(Object.keys(face).sort()).toEqual([...own, "AuthError", "CredentialsSignin", "customFetch"].sort())
    expect(face.default).toBe(NextAuth)
    expect(Object.keys(middlewareFace).sort()).toEqual(["default", "getToken", "withAuth"])
    expect(middlewareFace.default).toBe(withAuth)
  })
})

describe("NextAuth of version 4", () => {
  it("answers as a route handler with the options alone, and with the request first", async () => {
    const browser = await signedIn()
    const request = () => browser.request("/api/auth/session")
    for (const answer of [
      await NextAuth(testConfig())(request(), context),
      await NextAuth(request(), context, testConfig()),
    ]) {
      expect(await answer.json()).toMatchObject({ user: { name: "Ada Lovelace" } })
    }
  })

  it("answers as an API route, and signs in", async () => {
    const origin = await serve(NextAuth(testConfig()))
    const answer = await signInAt(origin)
    expect(answer.status).toBe(302)
    expect(answer.headers.getSetCookie().join()).toContain("authjs.session-token=")
  })

  it("answers with options that a function of the request makes, which may set cookies of the app", async () => {
    const optionsFor = (res: NextApiResponse): NextAuthOptions => ({
      ...testConfig(),
      callbacks: {
        signIn: () => {
          res.appendHeader("set-cookie", "team=harbour; Path=/")
          return true
        },
      },
    })
    const origin = await serve((req, res) => NextAuth(req, res, optionsFor(res)))
    const cookies = (await signInAt(origin)).headers.getSetCookie()
    expect(cookies).toContain("team=harbour; Path=/")
    expect(cookies.join()).toContain("authjs.session-token=")
  })

  it("limits the calls of a provider by httpOptions.timeout, and leaves its other fields alone", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let called = () => {}
    const slow: typeof fetch = async (_, init) =>
      await new Promise((_resolve, reject) => {
        called()
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))
      })
    const issuer = "https://id.test"
    const own = { id: "own", name: "Own", type: "oidc", issuer, clientId: "a", clientSecret: "b" } as const
    const shared = { [face.customFetch]: slow, httpOptions: { timeout: 2_000 } }
    const providers: Provider[] = [
      Keycloak({ clientId: "a", clientSecret: "b", issuer, ...shared }),
      { ...own, ...shared },
    ]
    const handler = NextAuth(testConfig({ providers, skipCSRFCheck }))
    for (const id of ["keycloak", "own"]) {
      const answered = vi.fn()
      const isCalled = new Promise<void>((resolve) => {
        called = resolve
      })
      const request = createTestBrowser().request(`/api/auth/signin/${id}`, { method: "POST" })
      const answer = handler(request, context).then(answered)
      await isCalled
      await vi.advanceTimersByTimeAsync(1_900)
      expect(answered).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(200)
      await answer
    }
  })
})

describe("getServerSession", () => {
  it("reads the session in a server component with the options", async () => {
    const browser = await signedIn()
    const options = testConfig()
    const session = await browser.inRequest(() => getServerSession(options))
    expect(session).toMatchObject({ user: { name: "Ada Lovelace" } })
    expect(await createTestBrowser().inRequest(() => getServerSession(options))).toBeNull()
  })

  it("reads it without options, with the secret of the environment", async () => {
    vi.stubEnv("NEXTAUTH_SECRET", String(secret))
    vi.stubEnv("AUTH_TRUST_HOST", "true")
    onTestFinished(() => void vi.unstubAllEnvs())
    const browser = await signedIn()
    expect(await browser.inRequest(() => getServerSession())).toMatchObject({ user: { name: "Ada Lovelace" } })
  })

  it("reads it from a request and a response, which gets the renewed cookie", async () => {
    const browser = await signedIn()
    const headers = Object.fromEntries(browser.headersWith({}))
    const sent: string[] = []
    const response = {
      ...nothingSent,
      appendHeader: (name: string, value: string) => void sent.push(`${name}=${value}`),
    }
    const session = await getServerSession({ headers }, response as never, testConfig()) // as: what is called of Node's.
    expect(session).toMatchObject({ user: { name: "Ada Lovelace" } })
    expect(sent.join()).toContain(`set-cookie=${cookieName}=`)
  })

  it.each([
    ["without a callback", {}, {}],
    // As create-t3-app wrote it: in version 4 it got a name, an address and an image.
    [
      "with a callback that spreads the session",
      { session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user.id } }) },
      { id: "ada" },
    ],
  ] satisfies [string, NextAuthOptions["callbacks"], object][])(
    "MIG-19: shows no columns of a stored session and its user, %s",
    async (_, callbacks, own) => {
      const user = { id: "ada", name: "Ada Lovelace", email: "ada@example.com", emailVerified: null, password: "hash" }
      const session = { sessionToken: "a token of a session", userId: "ada", expires: new Date(Date.now() + 1e9) }
      const needed = ["User", "UserByEmail", "UserByAccount"].map((name) => `get${name}`)
      const others = [...needed, "createUser", "updateUser", "linkAccount", "createSession", "deleteSession"]
      const unused = Object.fromEntries(others.map((name) => [name, async () => null]))
      const adapter = {
        ...unused,
        getSessionAndUser: async () => ({ session, user }),
        updateSession: async () => session,
      }
      const options = testConfig({
        adapter: adapter as Adapter, // as: the methods that a session check calls.
        session: { strategy: "database" },
        providers: [],
        callbacks,
      })
      const browser = createTestBrowser()
      browser.jar.set(cookieName, session.sessionToken)
      const found = await browser.inRequest(() => getServerSession(options))
      expect(found?.user).toEqual({ name: "Ada Lovelace", email: "ada@example.com", ...own })
      expect(Object.keys(found ?? {}).sort()).toEqual(["expires", "user"])
    },
  )
})

const nothingSent = { headersSent: false, getHeader: () => undefined, setHeader: () => undefined }

describe("CredentialsProvider of version 4", () => {
  it("calls authorize with strings, empty for fields that were not sent, and a plain request", async () => {
    const authorize = vi.fn(async (..._: unknown[]) => null)
    const provider = CredentialsProvider({ credentials: { email: {}, code: {} }, authorize })
    const headers = { "X-Kind": "a" }
    const request = new Request("https://app.test/api/auth/callback/credentials?from=a", { method: "POST", headers })
    await provider.options?.authorize?.({ email: 5 }, request)
    const fields = { email: "5", code: "" }
    expect(authorize).toHaveBeenCalledExactlyOnceWith(fields, {
      body: fields,
      query: { from: "a" },
      headers: { "x-kind": "a" },
      method: "POST",
    })
  })

  it("signs in", async () => {
    const provider = CredentialsProvider({
      credentials: { username: {}, password: {} },
      authorize: (sent) =>
        sent?.username === right.username && sent.password === right.password ? { id: "ada" } : null,
    })
    const origin = await serve(NextAuth(testConfig({ providers: [provider] })))
    expect((await signInAt(origin)).headers.getSetCookie().join()).toContain("authjs.session-token=")
  })
})

describe("withAuth", () => {
  const options = { secret: String(secret) }
  const open = async (path: string, guard: (request: never, event: never) => unknown, claims?: object) => {
    vi.stubEnv("AUTH_URL", "https://app.test")
    onTestFinished(() => void vi.unstubAllEnvs())
    const browser = createTestBrowser()
    if (claims) browser.jar.set(cookieName, await tokenOf({ ...claims }))
    const answer = await guard(browser.request(path) as never, event as never) // as: what tests pass to either kind.
    return answer as Response // as: the guards return responses.
  }
  const target = (path: string) =>
    `https://app.test/api/auth/signin?callbackUrl=${encodeURIComponent(`https://app.test${path}`)}`

  it("MIG-18: redirects a request without a token, or with one of another secret, to the sign-in page", async () => {
    const guards = [withAuth(options), withAuth(() => new Response("passed"), options)]
    for (const guard of guards) {
      const answer = await open("/private?a=b", guard)
      expect([answer.status, answer.headers.get("location")]).toEqual([307, target("/private?a=b")])
      const other = withAuth({ secret: "another secret that is long enough for this" })
      expect((await open("/private", other, { sub: "ada" })).status).toBe(307)
    }
  })

  it("lets a request with a token pass, to the app's own function", async () => {
    expect((await open("/private", withAuth(options), { sub: "ada" })).headers.get("x-middleware-next")).toBe("1")
    const seen = withAuth((request) => Response.json(request.nextauth.token), options)
    expect(await (await open("/private", seen, { sub: "ada" })).json()).toMatchObject({ sub: "ada" })
    const silent = withAuth(() => undefined, options)
    expect((await open("/private", silent, { sub: "ada" })).headers.get("x-middleware-next")).toBe("1")
  })

  it("is the middleware itself, with the secret of the environment", async () => {
    vi.stubEnv("NEXTAUTH_SECRET", String(secret))
    const guard = withAuth as (request: never, event: never) => unknown // as: as Next calls the default export.
    expect((await open("/private", guard)).status).toBe(307)
    vi.stubEnv("NEXTAUTH_SECRET", String(secret))
    expect((await open("/private", guard, { sub: "ada" })).headers.get("x-middleware-next")).toBe("1")
  })

  it("MIG-18: asks authorized, whose refusal is final", async () => {
    const admins = withAuth({ ...options, callbacks: { authorized: ({ token }) => token?.["role"] === "admin" } })
    expect((await open("/private", admins, { sub: "ada" })).status).toBe(307)
    expect((await open("/private", admins, { sub: "ada", role: "admin" })).headers.get("x-middleware-next")).toBe("1")
  })

  it("lets a session of version 4 pass that session.accept will take over, and no other", async () => {
    const sourceOf = (claims: object | null) => ({ findClaims: async () => claims }) as never // as: the part that is called.
    const guard = (claims: object | null) => withAuth({ ...options, accept: [sourceOf(claims)] })
    expect((await open("/private", guard({ sub: "ada" }))).headers.get("x-middleware-next")).toBe("1")
    expect((await open("/private", guard(null))).status).toBe(307)
  })

  it.each(["/api/authors", "/_next/data/build/private.json", "/_nextish"])("MIG-18: guards %s", async (path) => {
    expect((await open(path, withAuth(options))).status).toBe(307)
  })

  it.each(["/api/auth/signin", "/api/auth/own", "/_next/static/a.js", "/favicon.ico", "/login"])(
    "leaves %s open",
    async (path) => {
      const guard = withAuth({ ...options, pages: { signIn: "/login" } })
      expect((await open(path, guard)).headers.get("x-middleware-next")).toBe("1")
    },
  )
})

describe("getToken of version 4", () => {
  it("takes the secret and the name of the cookie from the environment", async () => {
    vi.stubEnv("NEXTAUTH_SECRET", String(secret))
    vi.stubEnv("NEXTAUTH_URL", "https://app.test")
    onTestFinished(() => void vi.unstubAllEnvs())
    const browser = await signedIn()
    expect(await getToken({ req: browser.request("/") })).toMatchObject({ sub: "ada" })
    vi.stubEnv("NEXTAUTH_URL", "http://app.test")
    expect(await getToken({ req: browser.request("/") })).toBeNull()
  })
})
