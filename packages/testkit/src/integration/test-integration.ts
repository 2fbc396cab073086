import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Browser, createBrowser } from "../browser/browser.js"
import { overHttp } from "../browser/navigation.js"
import { findLeaks } from "../log/leaks.js"
import { recordingHandler } from "../log/recorders.js"
import { integrationSecrets, integrationUser, type RunningServer } from "./server-under-test.js"

/** An integration, and how to start a server with it. */
export interface IntegrationUnderTest {
  readonly name: string
  /** Starts the framework's server on 127.0.0.1 with the service configured by {@link integrationConfig}. */
  start(): Promise<RunningServer>
  /** Where the service is mounted. Default: `/auth`. */
  readonly basePath?: string
  /**
   * Whether what is no action or no method of the service is left to the app, which answers it with 404. Default: false;
   * the service answers it with 400.
   */
  readonly passesOn?: boolean
  /**
   * Whether the framework sees to it that forms are the app's own, so that a form of its origin needs no CSRF token.
   * Default: false.
   */
  readonly verifiesForms?: boolean
}

/** What each test is given. */
interface Subject {
  readonly basePath: string
  readonly passesOn: boolean
  readonly verifiesForms: boolean
  origin(): string
  open(): Browser
}

const { username, password, name } = integrationUser

/**
 * Registers tests that every integration of a server framework passes, over real HTTP. Needs vitest.
 * @example testIntegration({ name: "express", start: () => listen(createApp(integrationConfig())) })
 */
export function testIntegration({
  name: framework,
  start,
  basePath = "/auth",
  passesOn = false,
  verifiesForms = false,
}: IntegrationUnderTest): void {
  describe(`${framework} integration`, () => {
    let running: RunningServer | undefined

    beforeAll(async () => {
      running = await start()
    })

    const { handler, answers } = recordingHandler(overHttp)

    afterAll(async () => {
      await running?.close()
      // A secret of the configuration, or what somebody typed, in whatever was answered.
      const told = answers.map(({ headers, cookies, body }) => [...Object.values(headers), ...cookies, body].join("\n"))
      expect(findLeaks(told, integrationSecrets)).toEqual([])
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
    testLimits(subject)
  })
}

function testReading({ basePath, origin, open }: Subject): void {
  it("lists the providers with addresses of the server itself", async () => {
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
    })
  })

  it("gives a CSRF token with its cookie", async () => {
    const browser = open()
    expect(await browser.csrfToken()).toMatch(/^[0-9a-f]{64}$/)
    expect(browser.cookies.list()).toMatchObject([{ isHttpOnly: true, sameSite: "Lax", path: "/" }])
    expect(browser.cookies.refused).toEqual([])
  })

  it("answers null where nobody is signed in, and lets nobody cache it", async () => {
    const response = await open().fetch(`${basePath}/session`)
    expect([response.status, await response.json()]).toEqual([200, null])
    expect(response.headers.get("cache-control")).toContain("no-store")
  })

  it("shows the sign-in page", async () => {
    const page = await open().open(`${basePath}/signin`)
    expect(page.status).toBe(200)
    expect(page.form().names).toEqual(expect.arrayContaining(["csrfToken", "username", "password"]))
  })
}

function testRefusals({ basePath, passesOn, verifiesForms, origin, open }: Subject): void {
  it(passesOn ? "leaves an unknown action to the app" : "answers 400 to an unknown action", async () => {
    const response = await open().fetch(`${basePath}/unheard-of`)
    const body = await response.text()
    expect([response.status, passesOn || JSON.parse(body)]).toEqual(passesOn ? [404, true] : [400, "Bad request."])
  })

  it("matches the base path on whole segments", async () => {
    const response = await open().fetch(`${basePath}session`)
    expect(await response.text()).not.toBe("null")
  })

  it("refuses a wrong password", async () => {
    const browser = open()
    const page = await browser.signIn("credentials", { username, password: "wrong" })
    expect(page.url.searchParams.get("error")).toBe("CredentialsSignin")
    expect(await browser.session()).toBeNull()
  })

  it("refuses a sign-in without the CSRF token, unless the framework looks at its origin", async () => {
    const browser = open()
    await browser.signIn("credentials", { username, password, csrfToken: "" })
    expect((await browser.session())?.user?.name).toBe(verifiesForms ? name : undefined)
  })

  it("refuses a sign-in of which nobody says where it came from, without the CSRF token", async () => {
    const body = new URLSearchParams({ username, password })
    const address = `${origin()}${basePath}/callback/credentials`
    const response = await fetch(address, { method: "POST", body, redirect: "manual" })
    expect(response.headers.get("location")).toContain("error=MissingCSRF")
    expect(response.headers.getSetCookie().filter((cookie) => cookie.includes("session-token"))).toEqual([])
  })

  it("refuses a sign-in that another site sends", async () => {
    const browser = open()
    const body = new URLSearchParams({ username, password, csrfToken: await browser.csrfToken() })
    await browser.fetch(`${basePath}/callback/credentials`, { body, headers: { origin: "https://evil.test" } })
    expect(await browser.session()).toBeNull()
  })

  it("answers a body that is no JSON with 400, and goes on working", async () => {
    const browser = open()
    const headers = { "content-type": "application/json" }
    const response = await browser.fetch(`${basePath}/callback/credentials`, { body: "{", headers })
    expect(response.status).toBe(400)
    expect(await browser.session()).toBeNull()
  })
}

function testSignIn({ basePath, origin, open }: Subject): void {
  it("signs in by the form of the page, and the session survives", async () => {
    const browser = open()
    const page = await browser.open(`${basePath}/signin?callbackUrl=${encodeURIComponent("/private?a=1&b=2")}`)
    const landed = await browser.submit(page.form(), { username, password })
    expect(landed.url.href).toBe(`${origin()}/private?a=1&b=2`)
    expect((await browser.session())?.user?.name).toBe(name)
    expect((await browser.session())?.user?.name).toBe(name)
  })

  it("signs in by JSON and answers with the address as JSON", async () => {
    const browser = open()
    const json = { username, password, csrfToken: await browser.csrfToken(), callbackUrl: "/private" }
    const headers = { "x-auth-return-redirect": "1" }
    const response = await browser.fetch(`${basePath}/callback/credentials`, { json, headers })
    expect([response.status, await response.json()]).toEqual([200, { url: `${origin()}/private` }])
    expect((await browser.session())?.user?.name).toBe(name)
  })

  it("signs out", async () => {
    const browser = open()
    await browser.signIn("credentials", { username, password })
    expect(await browser.session()).not.toBeNull()
    await browser.signOut()
    expect(await browser.session()).toBeNull()
  })

  it("does not mix up visitors who come at the same time", async () => {
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

function testTransport({ basePath, open }: Subject): void {
  it("keeps several cookies of one answer apart", async () => {
    const browser = open()
    const response = await browser.fetch(`${basePath}/signin?callbackUrl=%2Fprivate`)
    await response.text()
    expect(response.headers.getSetCookie()).toHaveLength(2)
    expect(browser.cookies.names()).toHaveLength(2)
    expect(browser.cookies.refused).toEqual([])
  })

  it("answers HEAD without a body, and the next request as ever", async () => {
    const browser = open()
    const response = await browser.fetch(`${basePath}/session`, { method: "HEAD" })
    expect(response.status).toBeLessThan(500)
    expect(await response.text()).toBe("")
    expect(await browser.session()).toBeNull()
  })

  it("redirects with an address of its own and keeps the cookies of a redirect", async () => {
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

/** Where a server under test answers. */
interface LimitSubject {
  readonly basePath: string
  readonly passesOn: boolean
  origin(): string
}

const form = { "content-type": "application/x-www-form-urlencoded" }
const mebi = 1024 * 1024

/**
 * Registers tests of what is too large, or asked for in a way that is not answered. Each ends with a request as ever.
 */
function testLimits({ basePath, passesOn, origin }: LimitSubject): void {
  const address = (path: string) => `${origin()}${basePath}/${path}`

  async function expectToGoOn(): Promise<void> {
    const response = await fetch(address("session"))
    expect([response.status, await response.json()]).toEqual([200, null])
  }

  it.each(["callback/credentials", "signin/credentials", "signout", "session"])(
    "LIM-01: refuses thirty megabytes to POST %s",
    async (path) => {
      const body = new Uint8Array(30 * mebi).fill(97)
      const response = await fetch(address(path), { method: "POST", headers: form, body })
      // A body parser of the app answers before the service does.
      expect(response.status).toBe(413)
      await response.text()
      await expectToGoOn()
    },
  )

  it("LIM-01: refuses as many of which nobody said how many they are", async () => {
    const piece = new Uint8Array(mebi).fill(97)
    const body = new Blob(Array.from({ length: 30 }, () => piece)).stream()
    // `duplex` is what Node asks for with a stream; browsers' types do not know it yet.
    const init = { method: "POST", headers: form, body, duplex: "half" } as RequestInit
    const response = await fetch(address("callback/credentials"), init)
    expect(response.status).toBe(413)
    await response.text()
    await expectToGoOn()
  })

  it("LIM-05: refuses 64 KiB of cookies, and of query", async () => {
    const large = "a".repeat(64 * 1024)
    const answers = await Promise.all([
      fetch(address("session"), { headers: { cookie: `x=${large}` } }),
      fetch(address(`session?x=${large}`)),
      fetch(address(`session?${"a=1&".repeat(10_000)}`)),
    ])
    // A server of its own limit answers before the service does.
    for (const answer of answers) expect([400, 413, 414, 431]).toContain(answer.status)
    await Promise.all(answers.map((answer) => answer.text()))
    await expectToGoOn()
  })

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("LIM-04: does not answer %s", async (method) => {
    for (const path of ["session", "signout", "csrf", "callback/credentials"]) {
      const response = await fetch(address(path), { method })
      const status = passesOn && response.status === 404 ? 400 : response.status
      expect([path, status, response.headers.getSetCookie()]).toEqual([path, 400, []])
      await response.text()
    }
    await expectToGoOn()
  })
}
