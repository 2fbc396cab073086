import { describe, expect, it } from "vitest"
import { beginSignIn, endSession } from "../src/actions.js"
import { answerEvent } from "../src/answer-event.js"
import type { ConfigQrl, QwikAuthConfig } from "../src/settings.js"
import { ada, testConfig, toQrl } from "./config.js"
import { formVisit, origin, outcomeOf, toCookies, type Visit, visit } from "./visits.js"

const right = { providerId: "credentials", username: "ada", password: "right" }
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

function configured(changes: Partial<QwikAuthConfig> = {}): ConfigQrl {
  const config = testConfig(changes)
  return toQrl(() => config)
}

/** Where an action sends its visitor. */
async function signIn(fields: Record<string, unknown>, event: Visit, config = configured()): Promise<string | null> {
  await outcomeOf(beginSignIn(fields, event, config))
  return event.headers.get("location")
}

async function sessionAfter(event: Visit, config: ConfigQrl): Promise<unknown> {
  const page = visit("/", { headers: { cookie: toCookies(event) } })
  await answerEvent(page, config)
  return page.sharedMap.get("session")
}

describe("useSignIn", () => {
  it.each(["https://evil.test", "null", "http://app.test:81"])(
    "CSRF-10, CSRF-11: refuses a form from %s, also when Qwik City does not look",
    async (foreign) => {
      const event = formVisit({ headers: { origin: foreign } })
      expect(await signIn(right, event)).toBe("/auth/signin?error=MissingCSRF")
      expect([...event.setCookies]).toEqual([])
      const leaving = formVisit({ headers: { origin: foreign } })
      await outcomeOf(endSession({}, leaving, configured()))
      expect(leaving.headers.get("location")).toBe("/auth/signin?error=MissingCSRF")
    },
  )

  it("leads a wrong password to the sign-in page, which learns where the visitor wanted to go", async () => {
    const config = configured({ pages: { signIn: "/login" } })
    const location = await signIn({ ...right, password: "wrong", redirectTo: "/private" }, formVisit(), config)
    expect(location).toBe("/login?error=CredentialsSignin&code=credentials&callbackUrl=%2Fprivate")
  })

  it("signs in, sets the cookies and leads on", async () => {
    const config = configured()
    const event = formVisit()
    expect(await signIn({ ...right, redirectTo: "/private" }, event, config)).toBe(`${origin}/private`)
    expect(event.setCookies.get("authjs.session-token")).toContain("; HttpOnly; SameSite=Lax")
    expect(await sessionAfter(event, config)).toMatchObject({ user: { name: ada.name } })
  })

  it("leads to no other site", async () => {
    const wishes = [{ redirectTo: "https://evil.test" }, { options: { redirectTo: "https://evil.test" } }]
    for (const wish of wishes) expect(await signIn({ ...right, ...wish }, formVisit())).toBe(origin)
  })

  it("takes what moves from elsewhere know as options", async () => {
    const { providerId, ...fields } = right
    const wish = { providerId, options: { ...fields, callbackUrl: "/private" } }
    expect(await signIn(wish, formVisit())).toBe(`${origin}/private`)
  })

  it("takes texts alone", async () => {
    const wish = { providerId: ["credentials"], redirectTo: { a: 1 }, options: "x", authorizationParams: 7 }
    expect(await signIn(wish, formVisit())).toBe(`${origin}/auth/signin?callbackUrl=%2F`)
  })

  it("goes to the provider with its parameters, and with nothing else of the form", async () => {
    const wish = { providerId: "demo", authorizationParams: { login_hint: "ada" }, username: "ada" }
    const location = await signIn(wish, formVisit(), configured({ providers: [demo] }))
    const { origin: target, searchParams } = new URL(location ?? "")
    expect([target, searchParams.get("login_hint")]).toEqual(["https://idp.test", "ada"])
    expect(searchParams.has("username")).toBe(false)
  })

  it("keeps the slashes in the query of an address, which Qwik City's redirect takes out", async () => {
    const location = await signIn({ ...right, redirectTo: "/in?next=a//b" }, formVisit())
    expect(location).toBe(`${origin}/in?next=a//b`)
  })

  it("lets Qwik's client leave the app's pages by what it reads, since no redirect would reach it", async () => {
    const config = configured({ providers: [demo] })
    const event = formVisit({}, "/login/q-data.json?qaction=1")
    expect(await outcomeOf(beginSignIn({ providerId: "demo" }, event, config))).toBeNull()
    expect(event.headers.get("location")).toContain("https://idp.test/authorize?")
    const refused = formVisit({}, "/login/q-data.json?qaction=1")
    expect(await outcomeOf(beginSignIn({ ...right, password: "wrong" }, refused, configured()))).not.toBeNull()
  })

  it("RATE-01: counts on the visitor's address", async () => {
    const rateLimit = { budgets: { callback: { limit: 1, windowSeconds: 60 } } }
    const config = configured({ rateLimit, secret: `a secret of this test alone: ${crypto.randomUUID()}` })
    await signIn(right, formVisit(), config)
    expect(await signIn(right, formVisit(), config)).toBe("/auth/signin?error=TooManyRequests")
    expect(await signIn(right, formVisit({ ip: "198.51.100.7" }), config)).toBe(`${origin}/`)
  })

  it("CONF-01: leads to the error page when the service cannot work", async () => {
    expect(await signIn(right, formVisit(), configured({ secret: "" }))).toBe("/auth/error?error=Configuration")
  })
})

describe("useSignOut", () => {
  it("ends the session and leads on", async () => {
    const config = configured()
    const event = formVisit()
    await signIn(right, event, config)
    const leaving = formVisit({ headers: { cookie: toCookies(event) } })
    await outcomeOf(endSession({ redirectTo: "/bye" }, leaving, config))
    expect(leaving.headers.get("location")).toBe(`${origin}/bye`)
    expect(await sessionAfter(leaving, config)).toBeNull()
  })
})
