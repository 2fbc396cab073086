import type { Session } from "@latchkey/core"
import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { testFormActions, toTarget } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { signIn as runSignIn, signOut } from "../src/actions.js"
import type { ConfigQrl, QwikAuthConfig } from "../src/config.js"
import { answerEvent } from "../src/handler.js"
import { ada, testConfig, toQrl } from "./config.js"
import { createEvent, formEvent, origin, outcomeOf, type TestEvent, toCookies } from "./events.js"

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

/** The URL that the action redirects to. */
async function signIn(
  fields: Record<string, unknown>,
  event: TestEvent,
  config = configured(),
): Promise<string | null> {
  await outcomeOf(runSignIn(fields, event, config))
  return event.headers.get("location")
}

/** An email provider, and the codes of its mails. */
function mailedCodes() {
  const codes: string[] = []
  const provider = testEmail({
    code: true,
    async sendVerificationRequest({ code = "" }) {
      codes.push(code)
    },
  })
  return { codes, providers: [provider] }
}

async function sessionAfter(event: TestEvent, config: ConfigQrl): Promise<unknown> {
  const page = createEvent("/", { headers: { cookie: toCookies(event) } })
  await answerEvent(page, config)
  return page.sharedMap.get("session")
}

describe("useSignIn", () => {
  it.each(["https://evil.test", "null", "http://app.test:81"])(
    "CSRF-10, CSRF-11: rejects a form from %s that Qwik City did not check",
    async (foreign) => {
      const event = formEvent({ headers: { origin: foreign } })
      expect(await signIn(right, event)).toBe("/auth/signin?error=MissingCSRF")
      expect([...event.setCookies.keys()]).toEqual(["authjs.error-reference"])
      const leaving = formEvent({ headers: { origin: foreign } })
      await outcomeOf(signOut({}, leaving, configured()))
      expect(leaving.headers.get("location")).toBe("/auth/signin?error=MissingCSRF")
    },
  )

  it("redirects a wrong password to the sign-in page with the callback URL", async () => {
    const config = configured({ pages: { signIn: "/login" } })
    const location = await signIn({ ...right, password: "wrong", redirectTo: "/private" }, formEvent(), config)
    expect(location).toBe("/login?error=CredentialsSignin&code=credentials&callbackUrl=%2Fprivate")
  })

  it("signs in, sets the cookies and redirects", async () => {
    const config = configured()
    const event = formEvent()
    expect(await signIn({ ...right, redirectTo: "/private" }, event, config)).toBe(`${origin}/private`)
    expect(event.setCookies.get("authjs.session-token")).toContain("; HttpOnly; SameSite=Lax")
    expect(await sessionAfter(event, config)).toMatchObject({ user: { name: ada.name } })
  })

  it.each(["jwt", "database"] as const)(
    "completes a sign-in with the code of a mail, with %s sessions",
    async (strategy) => {
      const { codes, providers } = mailedCodes()
      const config = configured({ providers, adapter: memoryAdapter(), session: { strategy } })
      const asking = formEvent()
      const request = { providerId: "email", email: "grace@example.com", redirectTo: "/private" }
      expect(await signIn(request, asking, config)).toContain("/auth/verify-request?provider=email")
      const cookie = toCookies(asking)
      const guess = formEvent({ headers: { cookie } })
      expect(await signIn({ providerId: "email", code: "no code" }, guess, config)).toContain("error=CodeWrong")
      const right = { providerId: "email", code: codes[0] ?? "" }
      const stranger = formEvent()
      expect(await signIn(right, stranger, config)).toContain("error=")
      const completing = formEvent({ headers: { cookie } })
      expect(await signIn(right, completing, config)).toBe(`${origin}/private`)
      expect(await sessionAfter(completing, config)).toMatchObject({ user: { email: "grace@example.com" } })
      expect(await sessionAfter(stranger, config)).toBeNull()
    },
  )

  it("never redirects to another site", async () => {
    const inputs = [{ redirectTo: "https://evil.test" }, { options: { redirectTo: "https://evil.test" } }]
    for (const input of inputs) expect(await signIn({ ...right, ...input }, formEvent())).toBe(origin)
  })

  it("reads fields nested in options, as @auth/qwik does", async () => {
    const { providerId, ...fields } = right
    const input = { providerId, options: { ...fields, callbackUrl: "/private" } }
    expect(await signIn(input, formEvent())).toBe(`${origin}/private`)
  })

  it("ignores values other than strings", async () => {
    const input = { providerId: ["credentials"], redirectTo: { a: 1 }, options: "x", authorizationParams: 7 }
    expect(await signIn(input, formEvent())).toBe(`${origin}/auth/signin?callbackUrl=%2F`)
  })

  it("adds only authorization parameters to the provider's URL, not other form fields", async () => {
    const input = { providerId: "demo", authorizationParams: { login_hint: "ada" }, username: "ada" }
    const location = await signIn(input, formEvent(), configured({ providers: [demo] }))
    const { origin: target, searchParams } = new URL(location ?? "")
    expect([target, searchParams.get("login_hint")]).toEqual(["https://idp.test", "ada"])
    expect(searchParams.has("username")).toBe(false)
  })

  it("keeps double slashes in the query of a URL, which Qwik City's redirect collapses", async () => {
    const location = await signIn({ ...right, redirectTo: "/in?next=a//b" }, formEvent())
    expect(location).toBe(`${origin}/in?next=a//b`)
  })

  it("sends Qwik's client to another origin with the data of the page instead of a redirect", async () => {
    const config = configured({ providers: [demo] })
    const event = formEvent({}, "/login/q-data.json?qaction=1")
    expect(await outcomeOf(runSignIn({ providerId: "demo" }, event, config))).toBeNull()
    expect(event.headers.get("location")).toContain("https://idp.test/authorize?")
    const refused = formEvent({}, "/login/q-data.json?qaction=1")
    expect(await outcomeOf(runSignIn({ ...right, password: "wrong" }, refused, configured()))).not.toBeNull()
  })

  it("RATE-01: counts by the client's address", async () => {
    const rateLimit = { budgets: { callback: { limit: 1, windowSeconds: 60 } } }
    const config = configured({ rateLimit, secret: `a secret of this test alone: ${crypto.randomUUID()}` })
    await signIn(right, formEvent(), config)
    expect(await signIn(right, formEvent(), config)).toBe("/auth/signin?error=TooManyRequests")
    expect(await signIn(right, formEvent({ ip: "198.51.100.7" }), config)).toBe(`${origin}/`)
  })

  it("CONF-01: redirects to the error page when the service is misconfigured", async () => {
    expect(await signIn(right, formEvent(), configured({ secret: "" }))).toBe("/auth/error?error=Configuration")
  })
})

describe("useSignOut", () => {
  it("ends the session and redirects", async () => {
    const config = configured()
    const event = formEvent()
    await signIn(right, event, config)
    const leaving = formEvent({ headers: { cookie: toCookies(event) } })
    await outcomeOf(signOut({ redirectTo: "/bye" }, leaving, config))
    expect(leaving.headers.get("location")).toBe(`${origin}/bye`)
    expect(await sessionAfter(leaving, config)).toBeNull()
  })
})

describe("useSignIn and useSignOut for forms", () => {
  testFormActions(
    (config, answer) => {
      const find = toQrl(() => config)
      async function handler(request: Request): Promise<Response> {
        const event = { ...createEvent(request.url), request }
        const ended = await outcomeOf(answerEvent(event, find))
        if (ended?.response) return ended.response
        if (event.url.pathname !== "/form") return new Response("the app")
        async function follow(action: Promise<void>): Promise<string> {
          await outcomeOf(action)
          return toTarget(event.headers.get("location") ?? "")
        }
        const { body } = await answer({
          getSession: async () => event.sharedMap.get("session") as Session | null, // The plugin has set it.
          signIn: (form) => follow(runSignIn(Object.fromEntries(form), event, find)),
          signOut: (form) => follow(signOut(Object.fromEntries(form ?? []), event, find)),
          updateSession: () => Promise.reject(new Error("There is no such function")),
        })
        const response = new Response(body, { headers: event.headers })
        for (const [name, value] of event.setCookies) response.headers.append("set-cookie", `${name}=${value}`)
        return response
      }
      return { origin, handler }
    },
    { needsOrigin: false, renewsLast: false, hasUpdateSession: false },
  )
})
