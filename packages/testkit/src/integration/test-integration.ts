import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { afterAll, beforeAll, expect, it } from "vitest"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import { type Browser, createBrowser } from "../browser/browser.js"
import { overHttp } from "../browser/navigation.js"
import { findLeaks } from "../log/leaks.js"
import { recordingHandler, recordingLogger } from "../log/recorders.js"
import { describeBehavior } from "./behavior.js"
import { testNativeApp } from "./native-app.js"
import {
  findSharedCaching,
  integrationConfig,
  integrationMailbox,
  integrationSecrets,
  integrationUser,
  publicCaching,
  type RunningServer,
} from "./server-under-test.js"
import { testMistake, testMode, testStart } from "./test-mode.js"
import { testRefusedBodies } from "./test-refused-bodies.js"

/** An integration to test. */
export interface IntegrationUnderTest {
  /** Name of the framework, for the titles of the tests. */
  readonly name: string
  /**
   * Starts the framework's server on 127.0.0.1.
   * @param config {@link integrationConfig}, which some tests change.
   */
  start(config: AuthConfig): Promise<RunningServer>
  /**
   * How the app makes the framework trust its proxy, as the log names it. Null if the framework has no such setting.
   * Default: not tested.
   */
  readonly proxySetting?: string | null | undefined
  /** True if the integration gets its configuration when the app starts. Default: false, by a function for each request. */
  readonly warnsAtStart?: boolean | undefined
  /** Path under which the service is mounted. Default: `/auth`. */
  readonly basePath?: string | undefined
  /**
   * True if the integration passes unknown actions and methods on to the app, which responds with 404. Default: false, the
   * service responds with 400.
   */
  readonly passesOn?: boolean | undefined
  /**
   * True if the framework verifies the origin of forms itself, so that a same-origin form needs no CSRF token. Default:
   * false.
   */
  readonly verifiesForms?: boolean | undefined
  /**
   * Path of a page of the app that reads the session and then sets the headers of {@link publicCaching}. Default: the app
   * has none.
   */
  readonly cachedPage?: string | undefined
  /**
   * Path to which the app posts a form of its own: it passes `providerId`, `redirectTo` and the other fields to the
   * integration's `signIn`, sends its cookies, and redirects to its URL. For a sign-in that `signIn` refuses, it does not
   * redirect into the app. Default: the app has none.
   */
  readonly signInForm?: string | undefined
  /** True for another mount in a server that is tested already, whose limits are those of the first. Default: false. */
  readonly isOtherMount?: boolean | undefined
}

/** The server under test. */
interface Subject {
  readonly basePath: string
  readonly passesOn: boolean
  readonly verifiesForms: boolean
  origin(): string
  open(): Browser
}

const { username, password, name } = integrationUser

/**
 * Registers the vitest tests that every server framework integration passes, over real HTTP.
 * @example testIntegration({ name: "express", start: (config) => listen(createApp(config)) })
 */
export function testIntegration({
  name: framework,
  start,
  basePath = "/auth",
  passesOn = false,
  verifiesForms = false,
  cachedPage,
  signInForm,
  proxySetting,
  warnsAtStart = false,
  isOtherMount = false,
}: IntegrationUnderTest): void {
  const register = () => {
    let running: RunningServer | undefined

    beforeAll(async () => {
      running = await start(integrationConfig())
    })

    const { handler, answers } = recordingHandler(overHttp)

    afterAll(async () => {
      await running?.close()
      const sent = answers.map(({ headers, cookies, body }) => [...Object.values(headers), ...cookies, body].join("\n"))
      expect(findLeaks(sent, integrationSecrets)).toEqual([])
      const withSession = answers.filter(({ cookies }) => cookies.some((cookie) => cookie.includes("session-token")))
      expect(withSession.flatMap(({ headers }) => findSharedCaching(new Headers(headers)))).toEqual([])
    })

    function origin(): string {
      if (!running) throw new Error("The server did not start")
      return running.origin
    }

    const open = () => createBrowser({ handler, origin: origin(), basePath })
    const subject = { basePath, passesOn, verifiesForms, origin, open }
    testReading(subject)
    testRefusals(subject)
    testSignIn(subject)
    testTransport(subject)
    if (!isOtherMount) {
      testLimits(subject)
      testRefusedBodies(() => ({ port: Number(new URL(origin()).port), basePath }))
      testMode(basePath, start)
    }
    if (cachedPage !== undefined) testCaching(subject, cachedPage)
    if (signInForm !== undefined) testSignInForm(subject, signInForm)
    if (proxySetting !== undefined) testUntrustedHost(basePath, start, proxySetting)
    testFeatureRoute(subject, start)
    testNativeApp(basePath, start)
    if (warnsAtStart) testStart(start)
    if (!isOtherMount) testMistake({ basePath, start, warnsAtStart })
  }
  describeBehavior("endpoints and pages", register, `${framework} integration`)
}

function testFeatureRoute({ basePath, open, passesOn }: Subject, start: IntegrationUnderTest["start"]): void {
  it("serves the routes of a feature, and leaves them to the app without it", async () => {
    const session = { strategy: "jwt", track: trackSessions() } as const
    const adapter = memoryAdapter()
    await adapter.createUser({ id: integrationUser.id, name, email: integrationUser.email, emailVerified: null })
    const server = await start({ ...integrationConfig(), adapter, session })
    try {
      const browser = createBrowser({ handler: overHttp, origin: server.origin, basePath })
      const path = `${basePath}/account/sessions`
      expect((await browser.fetch(path)).status).toBe(401)
      await browser.signIn("credentials", { username, password })
      const answer = await browser.fetch(path)
      expect(await answer.json()).toEqual({ sessions: [expect.objectContaining({ isCurrent: true })] })
      expect((await open().fetch(path)).status).toBe(passesOn ? 404 : 400)
    } finally {
      await server.close()
    }
  })
}

function testUntrustedHost(basePath: string, start: IntegrationUnderTest["start"], proxySetting: string | null): void {
  it("names in the log how to trust the host, and the proxy of this framework", async () => {
    const logger = recordingLogger()
    const server = await start({ ...integrationConfig(), trustHost: false, logger })
    const response = await fetch(`${server.origin}${basePath}/session`)
    await response.text()
    await server.close()
    const [error] = logger.errors
    expect([response.status, error?.name]).toEqual([500, "UntrustedHost"])
    expect(error?.message).toContain("Set AUTH_URL")
    expect(error?.message).toContain("AUTH_TRUST_HOST=true")
    const setting = "make the framework trust that proxy"
    if (proxySetting === null) expect(error?.message).not.toContain(setting)
    else expect(error?.message).toContain(`${setting}: ${proxySetting}`)
  })
}

function testCaching({ open }: Subject, cachedPage: string): void {
  it("leaves a page as cacheable as the app made it for visitors without a session", async () => {
    const response = await open().fetch(cachedPage)
    await response.text()
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
    expect(Object.fromEntries(response.headers)).toMatchObject(publicCaching)
  })

  it("keeps a page that sets the session cookie out of shared caches", async () => {
    const browser = open()
    await browser.signIn("credentials", { username, password })
    const response = await browser.fetch(cachedPage)
    await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie().join()).toContain("session-token")
    expect(findSharedCaching(response.headers)).toEqual([])
  })
}

function testReading({ basePath, origin, open }: Subject): void {
  it("lists the providers with URLs of the server", async () => {
    const response = await open().fetch(`${basePath}/providers`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      credentials: {
        id: "credentials",
        name: "Password",
        type: "credentials",
        signinUrl: `${origin()}${basePath}/signin/credentials`,
        callbackUrl: `${origin()}${basePath}/callback/credentials`,
      },
      email: {
        id: "email",
        name: "Email",
        type: "email",
        signinUrl: `${origin()}${basePath}/signin/email`,
        callbackUrl: `${origin()}${basePath}/callback/email`,
      },
    })
  })

  it("returns a CSRF token with its cookie", async () => {
    const browser = open()
    expect(await browser.csrfToken()).toMatch(/^[0-9a-f]{64}$/)
    expect(browser.cookies.list()).toMatchObject([{ isHttpOnly: true, sameSite: "Lax", path: "/" }])
    expect(browser.cookies.refused).toEqual([])
  })

  it("returns a null session to an anonymous visitor, with Cache-Control: no-store", async () => {
    const response = await open().fetch(`${basePath}/session`)
    expect([response.status, await response.json()]).toEqual([200, null])
    expect(response.headers.get("cache-control")).toContain("no-store")
  })

  it("shows the sign-in page", async () => {
    const page = await open().open(`${basePath}/signin`)
    expect(page.status).toBe(200)
    expect(page.form("form[action$='/callback/credentials']").names).toEqual(
      expect.arrayContaining(["csrfToken", "username", "password"]),
    )
  })
}

function testRefusals({ basePath, passesOn, verifiesForms, origin, open }: Subject): void {
  it("answers an unknown action with 400, unless the app has the paths below the service", async () => {
    const response = await open().fetch(`${basePath}/unheard-of`)
    const body = await response.text()
    expect([response.status, passesOn || JSON.parse(body)]).toEqual(passesOn ? [404, true] : [400, "Bad request."])
  })

  it("matches the base path on whole segments", async () => {
    const response = await open().fetch(`${basePath}session`)
    expect(await response.text()).not.toBe("null")
  })

  it("rejects a wrong password", async () => {
    const browser = open()
    const page = await browser.signIn("credentials", { username, password: "wrong" })
    expect(page.url.searchParams.get("error")).toBe("CredentialsSignin")
    expect(await browser.session()).toBeNull()
  })

  it("rejects a sign-in without the CSRF token, unless the framework verifies the origin", async () => {
    const browser = open()
    await browser.signIn("credentials", { username, password, csrfToken: "" })
    expect((await browser.session())?.user?.name).toBe(verifiesForms ? name : undefined)
  })

  it("rejects a sign-in without the CSRF token and without an Origin header", async () => {
    const body = new URLSearchParams({ username, password })
    const address = `${origin()}${basePath}/callback/credentials`
    const response = await fetch(address, { method: "POST", body, redirect: "manual" })
    expect(response.headers.get("location")).toContain("error=MissingCSRF")
    expect(response.headers.getSetCookie().filter((cookie) => cookie.includes("session-token"))).toEqual([])
  })

  it("rejects a cross-site sign-in", async () => {
    const browser = open()
    const body = new URLSearchParams({ username, password, csrfToken: await browser.csrfToken() })
    await browser.fetch(`${basePath}/callback/credentials`, { body, headers: { origin: "https://evil.test" } })
    expect(await browser.session()).toBeNull()
  })

  it("responds to malformed JSON with 400, and keeps serving", async () => {
    const browser = open()
    const headers = { "content-type": "application/json" }
    const response = await browser.fetch(`${basePath}/callback/credentials`, { body: "{", headers })
    expect(response.status).toBe(400)
    expect(await browser.session()).toBeNull()
  })
}

function testSignIn({ basePath, verifiesForms, origin, open }: Subject): void {
  it("signs in through the form of the page, and keeps the session", async () => {
    const browser = open()
    const page = await browser.open(`${basePath}/signin?callbackUrl=${encodeURIComponent("/private?a=1&b=2")}`)
    const landed = await browser.submit(page.form("form[action$='/callback/credentials']"), { username, password })
    expect(landed.url.href).toBe(`${origin()}/private?a=1&b=2`)
    expect((await browser.session())?.user?.name).toBe(name)
    expect((await browser.session())?.user?.name).toBe(name)
  })

  it("signs in with JSON, and returns the callback URL as JSON", async () => {
    const browser = open()
    const json = { username, password, csrfToken: await browser.csrfToken(), callbackUrl: "/private" }
    const headers = { "x-auth-return-redirect": "1" }
    const response = await browser.fetch(`${basePath}/callback/credentials`, { json, headers })
    expect([response.status, await response.json()]).toEqual([200, { url: `${origin()}/private` }])
    expect((await browser.session())?.user?.name).toBe(name)
  })

  it("signs in with the code of a mail, only in the browser that asked for it", async () => {
    const [browser, stranger] = [open(), open()]
    const address = someAddress()
    await browser.signIn("email", { email: address })
    const code = codeTo(address)
    const submit = async (by: Browser, typed: string) => {
      const body = new URLSearchParams({ csrfToken: verifiesForms ? "" : await by.csrfToken(), code: typed })
      return (await by.fetch(`${basePath}/callback/email`, { method: "POST", body })).headers.get("location") ?? ""
    }
    expect(await submit(stranger, code)).toContain("signin?error=Verification")
    expect(await submit(browser, "no code")).toContain("verify-request?provider=email&type=email&error=CodeWrong")
    expect(await submit(browser, code)).not.toContain("error=")
    expect((await browser.session())?.user?.email).toBe(address)
    expect(await stranger.session()).toBeNull()
  })

  it("signs out", async () => {
    const browser = open()
    await browser.signIn("credentials", { username, password })
    expect(await browser.session()).not.toBeNull()
    await browser.signOut()
    expect(await browser.session()).toBeNull()
  })

  it("keeps concurrent visitors apart", async () => {
    const visits = Array.from({ length: 8 }, async (_, index) => {
      const browser = open()
      if (index % 2 === 0) await browser.signIn("credentials", { username, password })
      return (await browser.session())?.user?.name
    })
    expect(await Promise.all(visits)).toEqual(
      Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? name : undefined)),
    )
  })
}

function someAddress(): string {
  return `code-${crypto.randomUUID()}@corp.test`
}

/** The code of the newest mail to an address. */
function codeTo(address: string): string {
  return integrationMailbox.messages.findLast(({ to }) => to === address)?.code ?? expect.unreachable("no mail arrived")
}

function testSignInForm({ origin, open }: Subject, path: string): void {
  /** Posts the form of the app. Returns where it leads. */
  async function submit(browser: Browser, fields: Readonly<Record<string, string>>): Promise<string> {
    const body = new URLSearchParams({ providerId: "email", redirectTo: "/private", ...fields })
    const response = await browser.fetch(path, { method: "POST", body, headers: { accept: "text/html" } })
    await response.text()
    return response.headers.get("location") ?? ""
  }

  it("signs in with the code of a mail by a form of the app, only in the browser that asked for it", async () => {
    const [browser, stranger] = [open(), open()]
    const email = someAddress()
    expect(await submit(browser, { email })).toContain("/verify-request?provider=email")
    const code = codeTo(email)
    expect(await submit(browser, { code: "no code" })).not.toContain(`${origin()}/private`)
    expect(await submit(stranger, { code })).not.toContain(`${origin()}/private`)
    expect([await browser.session(), await stranger.session()]).toEqual([null, null])
    expect(await submit(browser, { code })).toBe(`${origin()}/private`)
    expect((await browser.session())?.user?.email).toBe(email)
    expect(await stranger.session()).toBeNull()
  })
}

function testTransport({ basePath, open }: Subject): void {
  it("sends several cookies in one response", async () => {
    const browser = open()
    const response = await browser.fetch(`${basePath}/signin?callbackUrl=%2Fprivate`)
    await response.text()
    expect(response.headers.getSetCookie()).toHaveLength(2)
    expect(browser.cookies.names()).toHaveLength(2)
    expect(browser.cookies.refused).toEqual([])
  })

  it("responds to HEAD without a body, and keeps serving", async () => {
    const browser = open()
    const page = await browser.fetch(`${basePath}/signin`, { method: "HEAD" })
    expect([page.status, await page.text(), page.headers.getSetCookie()]).toEqual([200, "", []])
    expect(page.headers.get("content-type")).toMatch(/^text\/html/)
    const response = await browser.fetch(`${basePath}/session`, { method: "HEAD" })
    expect(response.status).toBeLessThan(500)
    expect(await response.text()).toBe("")
    expect(await browser.session()).toBeNull()
  })

  it("redirects to its own origin, and sends cookies with the redirect", async () => {
    const browser = open()
    const body = new URLSearchParams({
      username,
      password,
      csrfToken: await browser.csrfToken(),
      callbackUrl: "/private",
    })
    const response = await browser.fetch(`${basePath}/callback/credentials`, { body })
    expect([response.status, response.headers.get("location")]).toEqual([302, `${browser.origin}/private`])
    expect((await browser.session())?.user?.name).toBe(name)
  })
}

const form = { "content-type": "application/x-www-form-urlencoded" }
/** One byte over the service's limit. */
const tooLong = 64 * 1024 + 1

/**
 * Tests limits of size and method. Each test ends with a normal request.
 */
function testLimits({ basePath, passesOn, origin }: Subject): void {
  const urlOf = (path: string) => `${origin()}${basePath}/${path}`

  async function expectToKeepServing(): Promise<void> {
    const response = await fetch(urlOf("session"))
    expect([response.status, await response.json()]).toEqual([200, null])
  }

  it.each(["callback/credentials", "signin/credentials", "signout", "session"])(
    "LIM-01: rejects a body of one byte over the limit to POST %s",
    async (path) => {
      const body = new Uint8Array(tooLong).fill(97)
      const response = await fetch(urlOf(path), { method: "POST", headers: form, body })
      // A body parser of the app can respond before the service does.
      expect(response.status).toBe(413)
      await response.text()
      await expectToKeepServing()
    },
  )

  it("LIM-01: rejects a body of one byte over the limit without Content-Length", async () => {
    const body = new Blob([new Uint8Array(tooLong).fill(97)]).stream()
    // as: Node requires `duplex` with a stream; the browser types lack it
    const init = { method: "POST", headers: form, body, duplex: "half" } as RequestInit
    const response = await fetch(urlOf("callback/credentials"), init)
    expect(response.status).toBe(413)
    await response.text()
    await expectToKeepServing()
  })

  it("LIM-05: rejects cookies and queries of 64 KiB", async () => {
    const large = "a".repeat(64 * 1024)
    const answers = await Promise.all([
      fetch(urlOf("session"), { headers: { cookie: `x=${large}` } }),
      fetch(urlOf(`session?x=${large}`)),
      fetch(urlOf(`session?${"a=1&".repeat(10_000)}`)),
    ])
    // A server with its own limit can respond before the service does.
    for (const answer of answers) expect([400, 413, 414, 431]).toContain(answer.status)
    await Promise.all(answers.map((answer) => answer.text()))
    await expectToKeepServing()
  })

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("LIM-04: rejects the method %s", async (method) => {
    // HEAD is answered for pages.
    for (const path of ["session", ...(method === "HEAD" ? [] : ["signout"]), "csrf", "callback/credentials"]) {
      const response = await fetch(urlOf(path), { method })
      const status = passesOn && response.status === 404 ? 400 : response.status
      expect([path, status, response.headers.getSetCookie()]).toEqual([path, 400, []])
      await response.text()
    }
    await expectToKeepServing()
  })
}
