import { CredentialsSignin } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import { getSession, type SolidAuthConfig, signIn, signOut } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { formEvent, origin, toCookies, toForm } from "./visits.js"

const right = { providerId: "credentials", username: "ada", password: "right" }

const locationOf = (response: Response) => response.headers.get("location")

async function sessionAfter(response: Response, config: SolidAuthConfig) {
  return await getSession(new Request(origin, { headers: { cookie: toCookies(response) } }), config)
}

describe("signIn in a server function", () => {
  it.each([
    ["of another site", formEvent({ origin: "https://evil.test" })],
    ["of a sandboxed frame", formEvent({ origin: "null" })],
    ["that does not say where it came from", formEvent({ origin: "" })],
    [
      "of another site, whatever it says it fetches",
      formEvent({ origin: "https://evil.test", "sec-fetch-site": "same-origin" }),
    ],
  ])("CSRF-10, CSRF-11: refuses a form %s", async (_, event) => {
    if (event.request.headers.get("origin") === "") event.request.headers.delete("origin")
    const config = testConfig()
    const response = await signIn(event, config, toForm(right))
    expect(locationOf(response)).toBe("/api/auth/signin?error=MissingCSRF")
    expect(response.headers.getSetCookie()).toEqual([])
    expect(locationOf(await signOut(event, config))).toBe("/api/auth/signin?error=MissingCSRF")
  })

  it("CSRF-10: is not run by a link", async () => {
    for (const method of ["GET", "HEAD"]) {
      const event = formEvent({}, { method })
      expect(locationOf(await signIn(event, testConfig(), toForm(right)))).toContain("error=MissingCSRF")
      expect(locationOf(await signOut(event, testConfig()))).toContain("error=MissingCSRF")
    }
  })

  it("takes a form of a page that hides its origin, when the browser says that it is the app's", async () => {
    const config = testConfig()
    const event = formEvent({ origin: "null", "sec-fetch-site": "same-origin" })
    expect((await sessionAfter(await signIn(event, config, toForm(right)), config))?.user?.name).toBe(ada.name)
  })

  it("leads a wrong password to the sign-in page, which learns where the visitor wanted to go", async () => {
    const logged: string[] = []
    const logger = { error: ({ name }: Error) => void logged.push(name) }
    const config = testConfig({ logger, pages: { signIn: "/login" } })
    const response = await signIn(formEvent(), config, toForm({ ...right, password: "wrong", redirectTo: "/private" }))
    expect(response.status).toBe(303)
    expect(locationOf(response)).toBe("/login?error=CredentialsSignin&code=credentials&callbackUrl=%2Fprivate")
    expect(logged).toEqual(["CredentialsSignin"])
  })

  it("says with its code why the host refused", async () => {
    class LockedOut extends CredentialsSignin {
      override code = "locked-out"
    }
    const [provider] = testConfig().providers
    const authorize = () => Promise.reject(new LockedOut())
    const config = testConfig({ providers: [Object.assign({}, provider, { authorize })] })
    expect(locationOf(await signIn(formEvent(), config, toForm(right)))).toContain("code=locked-out")
  })

  it("signs in, sets the cookie and leads on", async () => {
    const config = testConfig()
    const response = await signIn(formEvent(), config, toForm({ ...right, redirectTo: "/private?a=1" }))
    expect([response.status, locationOf(response)]).toEqual([303, `${origin}/private?a=1`])
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.getSetCookie().join()).toContain("HttpOnly")
    expect((await sessionAfter(response, config))?.user).toMatchObject({ name: ada.name, email: ada.email })
  })

  it("leads to no other site", async () => {
    const form = toForm({ ...right, redirectTo: "https://evil.test/", callbackUrl: "https://evil.test/" })
    expect(locationOf(await signIn(formEvent(), testConfig(), form))).toBe(origin)
  })

  it("leads to the sign-in page without a provider, and with one that nobody knows", async () => {
    for (const providerId of ["", "nobody"]) {
      const response = await signIn(formEvent(), testConfig(), toForm({ providerId, redirectTo: "/private" }))
      expect(locationOf(response)).toBe(`${origin}/api/auth/signin?callbackUrl=%2Fprivate`)
    }
  })

  it("sends parameters to the provider's authorization URL, and nothing else of the form", async () => {
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

  it("RATE-01: counts on the visitor's address", async () => {
    const rateLimit = { budgets: { callback: { limit: 1, windowSeconds: 60 } } }
    const config = testConfig({ rateLimit, secret: `a secret of this test alone: ${crypto.randomUUID()}` })
    await signIn(formEvent(), config, toForm(right))
    expect(locationOf(await signIn(formEvent(), config, toForm(right)))).toContain("error=TooManyRequests")
    const neighbour = { ...formEvent(), clientAddress: "198.51.100.7" }
    expect(locationOf(await signIn(neighbour, config, toForm(right)))).toBe(`${origin}/`)
  })

  it("CONF-01: leads to the error page when the service cannot work", async () => {
    const response = await signIn(formEvent(), testConfig({ secret: "short", providers: [] }), toForm(right))
    expect(locationOf(response)).toContain("/api/auth/signin?callbackUrl")
    const broken = testConfig({ pages: { signIn: "/login", error: "/oops" }, secret: "" })
    expect(locationOf(await signIn(formEvent(), broken, toForm(right)))).toBe("/oops?error=Configuration")
  })

  it("says where it belongs when there is no request", async () => {
    await expect(async () => signIn(undefined, testConfig(), toForm(right))).rejects.toThrow(/getRequestEvent/)
  })
})

describe("signOut in a server function", () => {
  it("ends the session and leads on", async () => {
    const config = testConfig()
    const cookie = toCookies(await signIn(formEvent(), config, toForm(right)))
    const response = await signOut(formEvent({ cookie }), config, toForm({ redirectTo: "/bye" }))
    expect([response.status, locationOf(response)]).toEqual([303, `${origin}/bye`])
    expect(await sessionAfter(response, config)).toBeNull()
  })
})
