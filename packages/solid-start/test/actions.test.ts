import { CredentialsSignin } from "@latchkey/core/errors"
import { testFormActions, toTarget } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { getSession, SolidAuth, type SolidAuthConfig, signIn, signOut } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { formEvent, origin, streamed, toCookies, toForm } from "./events.js"

const right = { providerId: "credentials", username: "ada", password: "right" }

const locationOf = (response: Response) => response.headers.get("location")

async function sessionAfter(response: Response, config: SolidAuthConfig) {
  return await getSession(new Request(origin, { headers: { cookie: toCookies(response) } }), config)
}

describe("signIn in a server function", () => {
  it("tells the visitor of a refused form with a reference to the log, and sets nothing else", async () => {
    const response = await signIn(formEvent({ origin: "https://evil.test" }), testConfig(), toForm(right))
    expect(locationOf(response)).toBe("/api/auth/signin?error=MissingCSRF")
    expect(toCookies(response)).toMatch(/^authjs\.error-reference=[^;]*$/)
  })

  it("starts no session once the response has begun, whose cookies could not be set", async () => {
    const { event, begin } = streamed(formEvent())
    const config = testConfig()
    const form = toForm(right)
    expect(toCookies(await signIn(event, config, form))).toContain("session-token")
    begin()
    await expect(signIn(event, config, form)).rejects.toThrow("The response has begun")
    await expect(signOut(event, config)).rejects.toThrow("The response has begun")
  })

  it("accepts a form with a hidden origin that the browser marks same-origin", async () => {
    const config = testConfig()
    const event = formEvent({ origin: "null", "sec-fetch-site": "same-origin" })
    expect((await sessionAfter(await signIn(event, config, toForm(right)), config))?.user?.name).toBe(ada.name)
  })

  it("redirects a wrong password to the sign-in page with the callback URL", async () => {
    const logged: string[] = []
    const logger = { error: ({ name }: Error) => void logged.push(name) }
    const config = testConfig({ logger, pages: { signIn: "/login" } })
    const response = await signIn(formEvent(), config, toForm({ ...right, password: "wrong", redirectTo: "/private" }))
    expect(response.status).toBe(303)
    expect(locationOf(response)).toBe("/login?error=CredentialsSignin&code=credentials&callbackUrl=%2Fprivate")
    expect(logged).toEqual(["CredentialsSignin"])
  })

  it("adds the code of the host's error to the URL", async () => {
    class LockedOut extends CredentialsSignin {
      override code = "locked-out"
    }
    const [provider] = testConfig().providers
    const authorize = () => Promise.reject(new LockedOut())
    const config = testConfig({ providers: [Object.assign({}, provider, { authorize })] })
    expect(locationOf(await signIn(formEvent(), config, toForm(right)))).toContain("code=locked-out")
  })

  it("signs in, sets the cookie and redirects", async () => {
    const config = testConfig()
    const response = await signIn(formEvent(), config, toForm({ ...right, redirectTo: "/private?a=1" }))
    expect([response.status, locationOf(response)]).toEqual([303, `${origin}/private?a=1`])
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.getSetCookie().join()).toContain("HttpOnly")
    expect((await sessionAfter(response, config))?.user).toMatchObject({ name: ada.name, email: ada.email })
  })

  it("never redirects to another site", async () => {
    const form = toForm({ ...right, redirectTo: "https://evil.test/", callbackUrl: "https://evil.test/" })
    expect(locationOf(await signIn(formEvent(), testConfig(), form))).toBe(origin)
  })

  it("redirects to the sign-in page without a provider or with an unknown one", async () => {
    for (const providerId of ["", "unknown"]) {
      const response = await signIn(formEvent(), testConfig(), toForm({ providerId, redirectTo: "/private" }))
      expect(locationOf(response)).toBe(`${origin}/api/auth/signin?callbackUrl=%2Fprivate`)
    }
  })

  it("adds only authorization parameters to the provider's URL, not other form fields", async () => {
    const demo = {
      id: "demo",
      name: "Demo",
      type: "oauth",
      clientId: "app",
      clientSecret: "of no use elsewhere",
      authorization: "https://idp.test/authorize",
      token: "https://idp.test/token",
      userinfo: "https://idp.test/me",
    } as const
    const form = toForm({ providerId: "demo", "authorizationParams-login_hint": "ada", username: "ada" })
    form.set("file", new Blob(["x"]), "x.txt")
    const response = await signIn(formEvent(), testConfig({ providers: [demo] }), form)
    const { origin: target, searchParams } = new URL(locationOf(response) ?? "")
    expect(target).toBe("https://idp.test")
    expect(searchParams.get("login_hint")).toBe("ada")
    expect([searchParams.has("username"), searchParams.has("file")]).toEqual([false, false])
  })

  it("RATE-01: counts by the client's address", async () => {
    const rateLimit = { budgets: { callback: { limit: 1, windowSeconds: 60 } } }
    const config = testConfig({ rateLimit, secret: `a secret of this test alone: ${crypto.randomUUID()}` })
    await signIn(formEvent(), config, toForm(right))
    expect(locationOf(await signIn(formEvent(), config, toForm(right)))).toContain("error=TooManyRequests")
    const neighbour = { ...formEvent(), clientAddress: "198.51.100.7" }
    expect(locationOf(await signIn(neighbour, config, toForm(right)))).toBe(`${origin}/`)
  })

  it("CONF-01: redirects to the error page when the service is misconfigured", async () => {
    const response = await signIn(formEvent(), testConfig({ secret: "short", providers: [] }), toForm(right))
    expect(locationOf(response)).toContain("/api/auth/signin?callbackUrl")
    const broken = testConfig({ pages: { signIn: "/login", error: "/oops" }, secret: "" })
    expect(locationOf(await signIn(formEvent(), broken, toForm(right)))).toBe("/oops?error=Configuration")
  })

  it("throws without a request, and names getRequestEvent", async () => {
    await expect(async () => signIn(undefined, testConfig(), toForm(right))).rejects.toThrow(/getRequestEvent/)
  })
})

describe("signOut in a server function", () => {
  it("ends the session and redirects", async () => {
    const config = testConfig()
    const cookie = toCookies(await signIn(formEvent(), config, toForm(right)))
    const response = await signOut(formEvent({ cookie }), config, toForm({ redirectTo: "/bye" }))
    expect([response.status, locationOf(response)]).toEqual([303, `${origin}/bye`])
    expect(await sessionAfter(response, config)).toBeNull()
  })
})

describe("signIn and signOut for forms in a server function", () => {
  testFormActions(
    ({ basePath: prefix = "/auth", ...given }, answer) => {
      const config = { ...given, prefix }
      const { GET, POST } = SolidAuth(config)
      async function handler(request: Request): Promise<Response> {
        const event = { request, clientAddress: "192.0.2.1", response: { headers: new Headers() } }
        if (new URL(request.url).pathname !== "/form") {
          const service = request.method === "POST" ? POST : GET
          return (await service(event)) ?? new Response(null, { status: 404 })
        }
        const { headers } = event.response
        /** The headers of a redirect that a server function returns are those of its response. */
        async function follow(redirect: Promise<Response>): Promise<string> {
          for (const [name, value] of (await redirect).headers) {
            if (name === "set-cookie") headers.append(name, value)
            else headers.set(name, value)
          }
          return toTarget(locationOf(await redirect) ?? "")
        }
        const { body } = await answer({
          getSession: () => getSession(event, config),
          signIn: (form) => follow(signIn(event, config, form)),
          signOut: (form) => follow(signOut(event, config, form)),
          updateSession: () => Promise.reject(new Error("There is no such function")),
        })
        return new Response(body, { headers })
      }
      return { origin, handler }
    },
    { renewsLast: false, hasUpdateSession: false },
  )
})
