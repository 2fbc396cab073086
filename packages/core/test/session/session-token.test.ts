import { decode, encode, getToken } from "@latchkey/core/jwt"
import { fixedClock, type TestHost } from "@latchkey/testkit"
import { base64url, calculateJwkThumbprint, jwtDecrypt, SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post } from "../setup/requests.js"
import { deriveKey, fresh, sealByJose, secret } from "../setup/sealed-by-jose.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const right = { u: "v", p: "right" }

const now = () => Math.floor(Date.now() / 1000)

function openWith(secrets: string | string[] = secret): TestHost {
  return openHost({ providers: [passwordProvider()], secret: secrets })
}

describe("a session cookie of another implementation", () => {
  it.each([
    ["as the contract says", {}],
    ["with A256GCM", { enc: "A256GCM" }],
    ["without a key id", { header: { kid: undefined } }],
  ] as const)("%s is accepted: a move signs no one out", async (_, sealing) => {
    const { browser, logger } = openWith()
    browser.cookies.set(sessionCookie, await sealByJose(fresh(), sealing))
    expect(await browser.session()).toMatchObject({ user: { name: "V", email: "v@corp.test" } })
    expect(logger.errors).toEqual([])
  })

  it.each<[string, () => Promise<string>]>([
    [
      "JWT-01: signed and not encrypted",
      () => new SignJWT(fresh()).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret)),
    ],
    [
      "JWT-02: unsecured",
      async () => `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(fresh()))}.`,
    ],
    ["JWT-11: under another cookie's name", () => sealByJose(fresh(), { salt: "authjs.session-token" })],
    ["JWT-12: under another secret", () => sealByJose(fresh(), { from: "f".repeat(32) })],
    ["JWT-07: expired", () => sealByJose({ ...fresh(), exp: now() - 16 })],
    ["JWT-08: without expiry", () => sealByJose({ sub: "u-v" })],
    ["JWT-09: not valid yet", () => sealByJose({ ...fresh(), nbf: now() + 600 })],
    ["JWT-13: with an unknown key id", () => sealByJose(fresh(), { header: { kid: "x".repeat(10_000) } })],
    [
      "JWT-05: with a changed character",
      async () =>
        (await sealByJose(fresh())).replace(
          /\.(.)([^.]*\.[^.]*)$/,
          (_, first, rest) => `.${first === "A" ? "B" : "A"}${rest}`,
        ),
    ],
    ["JWT-06: with a short tag", async () => (await sealByJose(fresh())).slice(0, -11)],
  ])("%s is rejected: null, cookie cleared, one log entry", async (_, seal) => {
    const { browser, logger } = openWith()
    browser.cookies.set(sessionCookie, await seal())
    const answer = await get(browser, "/auth/session")
    expect([answer.status, answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual([200, "null", ""])
    expect(logger.errorTypes()).toEqual(["JWTSessionError"])
    await browser.signIn("cred", right)
    expect(await browser.session()).not.toBeNull()
  })

  it("JWT-16: does not pollute a prototype with its claims, and callbacks get plain claims", async () => {
    const seen: unknown[] = []
    const { browser } = openHost({
      providers: [passwordProvider()],
      secret,
      callbacks: {
        session({ session, token }) {
          seen.push(Object.getPrototypeOf(token) === Object.prototype, Reflect.get(token, "polluted"))
          return session
        },
      },
    })
    const claims = JSON.parse(
      `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"sub":"u-v","exp":${now() + 3600}}`,
    )
    browser.cookies.set(sessionCookie, await sealByJose(claims))
    expect(await browser.session()).not.toBeNull()
    expect([seen, Reflect.get({}, "polluted")]).toEqual([[true, undefined], undefined])
  })
})

describe("our session cookie", () => {
  it("can be decrypted by jose with the contract's key, and has the claims with iat, exp and jti", async () => {
    using clock = fixedClock()
    const { browser } = openWith()
    await browser.signIn("cred", right)
    const key = await deriveKey(secret, sessionCookie, 64)
    const { payload, protectedHeader } = await jwtDecrypt(browser.cookies.get(sessionCookie) ?? "", key, {
      currentDate: new Date(),
    })
    const kid = await calculateJwkThumbprint({ kty: "oct", k: base64url.encode(key) }, "sha512")
    expect(protectedHeader).toEqual({ alg: "dir", enc: "A256CBC-HS512", kid })
    const iat = Math.floor(clock.now() / 1000)
    expect(payload).toEqual({
      name: "V",
      email: "v@corp.test",
      sub: "u-v",
      iat,
      exp: iat + 30 * 24 * 60 * 60,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it("has a new jti at each access", async () => {
    const { browser } = openWith()
    await browser.signIn("cred", right)
    const ids = new Set<unknown>()
    for (let access = 0; access < 3; access++) {
      const token = browser.cookies.get(sessionCookie) ?? ""
      ids.add((await decode({ token, secret, salt: sessionCookie }))?.jti)
      await browser.session()
    }
    expect(ids.size).toBe(3)
  })

  it("can be read by getToken, from cookies and from a bearer header", async () => {
    const { browser } = openWith()
    await browser.signIn("cred", right)
    const token = browser.cookies.get(sessionCookie) ?? ""
    const shared = { secret, secureCookie: true }
    const byCookie = await getToken({ req: { headers: { cookie: `${sessionCookie}=${token}` } }, ...shared })
    const byHeader = await getToken({
      req: new Request("https://app.test", { headers: { authorization: `Bearer ${token}` } }),
      ...shared,
    })
    expect([byCookie?.sub, byHeader?.sub]).toEqual(["u-v", "u-v"])
  })

  it("is encoded and decoded by jwt.encode and jwt.decode if the app has them", async () => {
    const host = openHost({
      providers: [passwordProvider()],
      secret,
      jwt: { encode: ({ token }) => JSON.stringify(token), decode: ({ token }) => JSON.parse(token ?? "null") },
    })
    await host.browser.signIn("cred", right)
    expect(decodeURIComponent(host.browser.cookies.get(sessionCookie) ?? "")).toContain('"sub":"u-v"')
    expect((await host.browser.session())?.user?.name).toBe("V")
  })
})

describe("a rotation of secrets", () => {
  const older = "old-secret-old-secret-old-secret-"
  const newer = "new-secret-new-secret-new-secret-"

  it("JWT-12, KEY-04: decrypts with the old secret, encrypts with the new one, and then no longer needs the old one", async () => {
    const { browser } = openWith([newer, older])
    browser.cookies.set(
      sessionCookie,
      await encode({ token: { name: "V", sub: "u-v" }, secret: older, salt: sessionCookie }),
    )
    expect(await browser.session()).not.toBeNull()
    const token = browser.cookies.get(sessionCookie) ?? ""
    expect((await decode({ token, secret: newer, salt: sessionCookie }))?.sub).toBe("u-v")
    const after = openWith(newer).browser
    after.cookies.set(sessionCookie, token)
    expect(await after.session()).not.toBeNull()
    after.cookies.set(sessionCookie, await encode({ token: { sub: "u-v" }, secret: older, salt: sessionCookie }))
    expect(await after.session()).toBeNull()
  })

  it("KEY-04: keeps CSRF tokens and flows that began before it", async () => {
    const before = openWith(older)
    const first = openHost({ secret: older, idp: before.idp })
    await first.browser.csrfToken()
    const begun = await post(first.browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    const second = openHost({ secret: [newer, older], idp: before.idp, providers: [before.idp.provider()] })
    for (const { name, value } of first.browser.cookies.list()) second.browser.cookies.set(name, value)
    expect(await second.browser.csrfToken()).toBe(await first.browser.csrfToken())
    const page = await second.browser.open(begun.location ?? "")
    expect(page.url.href).toBe("https://app.test/in")
    expect((await second.browser.session())?.user?.name).toBe("Ada Lovelace")
  })
})

describe("sealed values of other purposes", () => {
  /** A pending flow, and all values that the service sealed for it. */
  async function beginFlow(host: TestHost) {
    const begun = await post(host.browser, "/auth/signin/oidc")
    const state = new URL(begun.location ?? "").searchParams.get("state") ?? ""
    const checks = host.browser.cookies.list().filter(({ name }) => /state|nonce|pkce|csrf/.test(name))
    expect(checks).toHaveLength(4)
    return { begun, state, checks }
  }

  it("JWT-10, HOST-09: are not accepted as sessions", async () => {
    const host = openHost()
    const { state, checks } = await beginFlow(host)
    const salt = "__Secure-authjs.challenge"
    const challenge = await encode({ token: { sub: "u-v" }, secret: host.config.secret ?? "", salt })
    for (const value of [state, challenge, ...checks.map((cookie) => cookie.value)]) {
      host.browser.cookies.set(sessionCookie, value)
      expect(await host.browser.session()).toBeNull()
    }
  })

  it.each(["state", "nonce", "pkce"])("JWT-10: a session is not accepted as %s check", async (check) => {
    const host = openHost()
    const { begun, checks } = await beginFlow(host)
    const signedIn = host.newBrowser()
    await signedIn.signIn("oidc")
    const session = signedIn.cookies.get(sessionCookie) ?? ""
    const tab = host.newBrowser()
    for (const { name, value } of checks) tab.cookies.set(name, name.includes(check) ? session : value)
    const page = await tab.open(begun.location ?? "")
    expect([page.url.search, host.logger.errorTypes()]).toEqual(["?error=Configuration", ["InvalidCheck"]])
  })
})
