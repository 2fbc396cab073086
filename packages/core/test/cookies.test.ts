import { fixedClock, memoryAdapter, type TestHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { type Answer, get, post, readAnswer } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider, sessionCookie } from "./sign-ins.js"

const minutes = 60 * 1000
const withoutFlow = (name: string) => name.replace(/\.[0-9a-z]{9,}[\w-]*$/, "")

/** Every cookie of a sign-in by name, flow ids left out: that of csrf, those of the checks, and the session's. */
async function cookiesOfSignIn({ browser, idp }: TestHost): Promise<Map<string, readonly string[]>> {
  const csrf = await get(browser, "/auth/csrf")
  const begun = await post(browser, "/auth/signin/oidc", { callbackUrl: "/in" })
  const sent = await idp.handler(new Request(begun.location ?? ""))
  const done = await readAnswer(await browser.fetch(sent.headers.get("location") ?? ""))
  const all = [csrf, begun, done].flatMap((answer) => [...answer.cookies])
  const set = all.filter(([, { value }]) => value !== "")
  return new Map(set.map(([name, { attributes }]) => [withoutFlow(name), attributes]))
}

describe("cookies on https", () => {
  it("have their names, flags and lifetimes (COOK-01, COOK-17)", async () => {
    using clock = fixedClock()
    const in15Minutes = "Max-Age=900"
    const flags = ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"]
    const inADay = `Expires=${new Date(clock.now() + 30 * 24 * 60 * minutes).toUTCString()}`
    const cookies = await cookiesOfSignIn(openHost())
    const sorted = new Map([...cookies].map(([name, attributes]) => [name, [...attributes].sort()]))
    expect(sorted).toEqual(
      new Map([
        ["__Host-authjs.csrf-token", [...flags].sort()],
        ["__Secure-authjs.callback-url", [...flags].sort()],
        ["__Secure-authjs.state", [in15Minutes, ...flags].sort()],
        ["__Secure-authjs.pkce.code_verifier", [in15Minutes, ...flags].sort()],
        ["__Secure-authjs.nonce", [in15Minutes, ...flags].sort()],
        [sessionCookie, [inADay, ...flags].sort()],
      ]),
    )
  })

  it("are all kept by a browser", async () => {
    const host = openHost()
    await host.browser.signIn("oidc", { callbackUrl: "/in" })
    expect(host.browser.cookies.refused).toEqual([])
    expect(host.browser.cookies.visibleToScripts()).toBe("")
  })
})

describe("cookies on http", () => {
  it("have no prefix and no Secure (COOK-02)", async () => {
    const cookies = await cookiesOfSignIn(
      openHost({
        origin: "http://localhost:3000",
      }),
    )
    expect([...cookies.keys()].sort()).toEqual([
      "authjs.callback-url",
      "authjs.csrf-token",
      "authjs.nonce",
      "authjs.pkce.code_verifier",
      "authjs.session-token",
      "authjs.state",
    ])
    expect([...cookies.values()].flat()).not.toContain("Secure")
  })

  it("are as on https with useSecureCookies", async () => {
    const host = openHost({ origin: "http://localhost:3000", useSecureCookies: true })
    const { cookies } = await get(host.browser, "/auth/csrf")
    expect(cookies.get("__Host-authjs.csrf-token")?.attributes).toContain("Secure")
  })

  it("useSecureCookies: false takes prefix and flag away on https", async () => {
    const host = openHost({ useSecureCookies: false })
    const { cookies } = await get(host.browser, "/auth/csrf")
    expect(cookies.get("authjs.csrf-token")?.attributes).not.toContain("Secure")
  })
})

describe("config.cookies", () => {
  it("is laid over the defaults, undefined values left out", async () => {
    const host = openHost({
      providers: [passwordProvider()],
      cookies: {
        sessionToken: { name: "app.session", options: { sameSite: "strict", domain: "app.test", path: undefined } },
      },
    })
    const answer = await post(host.browser, "/auth/callback/cred", { u: "v", p: "right" })
    expect(answer.cookies.get("app.session")?.attributes).toEqual(
      expect.arrayContaining(["Domain=app.test", "Path=/", "HttpOnly", "Secure", "SameSite=Strict"]),
    )
    expect(await host.browser.session()).not.toBeNull()
    const gone = await post(host.browser, "/auth/signout")
    expect(gone.cookies.get("app.session")?.attributes).toEqual(
      expect.arrayContaining(["Max-Age=0", "Domain=app.test", "Path=/", "HttpOnly", "Secure", "SameSite=Strict"]),
    )
  })

  it("keeps no cookie for more than 400 days (COOK-16)", async () => {
    using clock = fixedClock()
    const host = openHost({ providers: [passwordProvider()], session: { maxAge: 10 * 365 * 24 * 60 * 60 } })
    const answer = await post(host.browser, "/auth/callback/cred", { u: "v", p: "right" })
    const latest = new Date(clock.now() + 400 * 24 * 60 * minutes).toUTCString()
    expect(answer.cookies.get(sessionCookie)?.attributes).toContain(`Expires=${latest}`)
  })
})

/** A host whose token holds a text of this many characters. */
function openFat(size: { now: number }): TestHost {
  return openHost({
    providers: [passwordProvider()],
    callbacks: {
      jwt: ({ token }) => ({ ...token, fat: "x".repeat(size.now) }),
      session: ({ session, token }) => ({ ...session, fat: String(token["fat"]).length }),
    },
  })
}

const chunks = ({ browser }: TestHost) =>
  browser.cookies
    .names()
    .filter((name) => name.startsWith(sessionCookie))
    .sort()
const right = { u: "v", p: "right" }

describe("a session that is too long for one cookie", () => {
  it("is cut into pieces that every browser keeps, and read again in order (COOK-10, COOK-11)", async () => {
    const host = openFat({ now: 32_000 })
    await host.browser.signIn("cred", right)
    expect(host.browser.cookies.refused).toEqual([])
    expect(chunks(host)).toHaveLength(11)
    expect(chunks(host)).toContain(`${sessionCookie}.10`)
    const values = chunks(host).map((name) => host.browser.cookies.get(name) ?? "")
    expect(Math.max(...values.map(({ length }) => length))).toBe(3936)
    expect(await host.browser.session()).toMatchObject({ fat: 32_000 })
  })

  it.each([
    ["shrinks", 9000, 10, [sessionCookie]],
    ["grows", 10, 9000, [`${sessionCookie}.0`, `${sessionCookie}.1`, `${sessionCookie}.2`, `${sessionCookie}.3`]],
    ["shrinks a little", 9000, 5000, [`${sessionCookie}.0`, `${sessionCookie}.1`]],
  ])("and %s leaves nothing of the old one behind (COOK-12)", async (_, before, after, names) => {
    const size = { now: before }
    const host = openFat(size)
    await host.browser.signIn("cred", right)
    size.now = after
    await host.browser.session()
    expect(await host.browser.session()).toMatchObject({ fat: after })
    expect(chunks(host)).toEqual(names)
  })

  it("is cleared whole at sign-out, with the attributes it was set with", async () => {
    const host = openFat({ now: 9000 })
    await host.browser.signIn("cred", right)
    const answer = await post(host.browser, "/auth/signout")
    const cleared = [...answer.cookies].filter(([name]) => name.startsWith(sessionCookie))
    expect(cleared).toHaveLength(4)
    for (const [, { value, attributes }] of cleared) {
      expect([value, [...attributes].sort()]).toEqual([
        "",
        ["HttpOnly", "Max-Age=0", "Path=/", "SameSite=Lax", "Secure"],
      ])
    }
    expect(chunks(host)).toEqual([])
  })

  it("is cleared whole when it is no session any more", async () => {
    const host = openFat({ now: 9000 })
    await host.browser.signIn("cred", right)
    host.browser.cookies.delete(`${sessionCookie}.3`)
    expect(await host.browser.session()).toBeNull()
    expect(chunks(host)).toEqual([])
  })

  it("of more than twenty pieces fails the sign-in instead of being dropped by browsers (COOK-10)", async () => {
    const host = openFat({ now: 100_000 })
    const page = await host.browser.signIn("cred", right)
    expect([page.url.search, chunks(host)]).toEqual(["?error=Configuration", []])
    expect(host.logger.errorTypes()).toEqual(["CallbackRouteError"])
  })
})

describe("cookies that somebody else planted", () => {
  it.each([`${sessionCookie}X`, `${sessionCookie}.0`, `${sessionCookie}.x`, `${sessionCookie}.4999`])(
    "%s beside the session does no harm (COOK-06, COOK-07)",
    async (name) => {
      const host = openHost({ providers: [passwordProvider()] })
      await host.browser.signIn("cred", right)
      host.browser.cookies.set(name, "zzz")
      expect(await host.browser.session()).not.toBeNull()
      expect(await host.browser.session()).not.toBeNull()
      if (!/\.\d+$/.test(name)) expect(host.browser.cookies.get(name)).toBe("zzz")
    },
  )

  it.each(["first", "last"])(
    "a second cookie of the session's name, coming %s, signs nobody out (COOK-08)",
    async (place) => {
      const host = openHost({ providers: [passwordProvider()] })
      await host.browser.signIn("cred", right)
      const good = `${sessionCookie}=${host.browser.cookies.get(sessionCookie)}`
      const bad = `${sessionCookie}=planted`
      const cookie = (place === "first" ? [bad, good] : [good, bad]).join("; ")
      const answer = await readAnswer(
        await host.handler(new Request("https://app.test/auth/session", { headers: { cookie } })),
      )
      expect(answer.json()).toMatchObject({ user: { name: "V" } })
      expect(answer.cookies.get(sessionCookie)?.value).not.toBe("")
    },
  )

  it("five thousand chunks are refused, and not answered by as many cookies (COOK-09)", async () => {
    const host = openHost()
    const cookie = Array.from({ length: 5000 }, (_, n) => `${sessionCookie}.${n}=z`).join("; ")
    const answer = await readAnswer(
      await host.handler(new Request("https://app.test/auth/session", { headers: { cookie } })),
    )
    expect([answer.status, answer.text]).toEqual([200, "null"])
    expect(answer.cookies.size).toBeLessThanOrEqual(21)
  })

  it.each(["__Host-authjs.csrf-token=%E0%A4%A; x=%", "__proto__=x; constructor=y; toString=z"])(
    "%s is no reason to fail (COOK-13, COOK-14)",
    async (cookie) => {
      for (const path of ["session", "csrf", "signin"]) {
        const request = new Request(`https://app.test/auth/${path}`, { headers: { cookie } })
        expect((await openHost().handler(request)).status).toBe(200)
      }
    },
  )

  it("a session token that an attacker chose is never a session (DBS-01)", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter })
    host.browser.cookies.set(sessionCookie, "fixed-by-an-attacker")
    await host.browser.signIn("oidc")
    expect(host.browser.cookies.get(sessionCookie)).toMatch(/^[0-9a-f]{64}$/)
    expect(await adapter.getSessionAndUser("fixed-by-an-attacker")).toBeNull()
  })
})

describe("check cookies", () => {
  it("become SameSite=None; Secure where the provider answers by a form (OAU-18)", async () => {
    const authorization = { params: { response_mode: "form_post" } }
    const host = openHost({ providers: ({ idp }) => [idp.provider({ authorization })] })
    const answer: Answer = await post(host.browser, "/auth/signin/oidc")
    const checks = [...answer.cookies].filter(([name]) => /state|nonce|pkce/.test(name))
    expect(checks).toHaveLength(3)
    for (const [, { attributes }] of checks)
      expect(attributes).toEqual(expect.arrayContaining(["SameSite=None", "Secure"]))
  })

  it.each([
    ["that succeeds", undefined],
    ["that the provider refuses", "access-denied"],
    ["whose ID token is refused", "id-token-expired"],
  ] as const)("are cleared by a callback %s (COOK-18)", async (_, fault) => {
    const host = openHost()
    if (fault) host.idp.faults.turnOn(fault)
    await host.browser.signIn("oidc")
    expect(host.idp.requests.authorization).toHaveLength(1)
    expect(host.browser.cookies.names().filter((name) => /state|nonce|pkce/.test(name))).toEqual([])
  })
})
