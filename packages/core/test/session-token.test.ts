import { decode, encode, getToken } from "@latchkey/core/jwt"
import { fixedClock, type TestHost } from "@latchkey/testkit"
import { base64url, calculateJwkThumbprint, EncryptJWT, jwtDecrypt, SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import { get, post } from "./answers.js"
import { openHost } from "./hosts.js"
import { passwordProvider, sessionCookie } from "./sign-ins.js"

const secret = "0123456789abcdef0123456789abcdef"
const right = { u: "v", p: "right" }

/** The key of section 7 of the wire contract, made by Web Crypto alone. */
async function deriveKey(from: string, salt: string, bytes: number): Promise<Uint8Array> {
  const bits = (text: string) => new TextEncoder().encode(text)
  const key = await crypto.subtle.importKey("raw", bits(from), "HKDF", false, ["deriveBits"])
  const info = bits(`Auth.js Generated Encryption Key (${salt})`)
  const derived = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: bits(salt), info },
    key,
    bytes * 8,
  )
  return new Uint8Array(derived)
}

const kinds = {
  "A256CBC-HS512": { bytes: 64, digest: "sha512" },
  A256GCM: { bytes: 32, digest: "sha256" },
} as const

interface Sealing {
  readonly from?: string
  readonly salt?: string
  readonly enc?: keyof typeof kinds
  readonly header?: Readonly<Record<string, unknown>>
}

/** A session cookie as another implementation of the contract makes it. */
async function sealByJose(
  claims: Record<string, unknown>,
  { from = secret, salt = sessionCookie, enc = "A256CBC-HS512", header }: Sealing = {},
): Promise<string> {
  const { bytes, digest } = kinds[enc]
  const key = await deriveKey(from, salt, bytes)
  const kid = await calculateJwkThumbprint({ kty: "oct", k: base64url.encode(key) }, digest)
  return new EncryptJWT({ jti: crypto.randomUUID(), ...claims })
    .setProtectedHeader({ alg: "dir", enc, kid, ...header })
    .encrypt(key)
}

const now = () => Math.floor(Date.now() / 1000)
const fresh = () => ({ name: "V", email: "v@corp.test", sub: "u-v", iat: now(), exp: now() + 3600 })

function openWith(secrets: string | string[] = secret): TestHost {
  return openHost({ providers: [passwordProvider()], secret: secrets })
}

describe("a session cookie of another implementation", () => {
  it.each([
    ["as section 7 says", {}],
    ["with A256GCM", { enc: "A256GCM" }],
    ["without a key id", { header: { kid: undefined } }],
  ] as const)("%s is a session here: nobody is signed out by a move", async (_, sealing) => {
    const { browser, logger } = openWith()
    browser.cookies.set(sessionCookie, await sealByJose(fresh(), sealing))
    expect(await browser.session()).toMatchObject({ user: { name: "V", email: "v@corp.test" } })
    expect(logger.errors).toEqual([])
  })

  it.each<[string, () => Promise<string>]>([
    [
      "signed and not encrypted (JWT-01)",
      () => new SignJWT(fresh()).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret)),
    ],
    [
      "unsecured (JWT-02)",
      async () => `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(fresh()))}.`,
    ],
    ["under another cookie's name (JWT-11)", () => sealByJose(fresh(), { salt: "authjs.session-token" })],
    ["under another secret (JWT-12)", () => sealByJose(fresh(), { from: "f".repeat(32) })],
    ["expired (JWT-07)", () => sealByJose({ ...fresh(), exp: now() - 16 })],
    ["without expiry (JWT-08)", () => sealByJose({ sub: "u-v" })],
    ["not valid yet (JWT-09)", () => sealByJose({ ...fresh(), nbf: now() + 600 })],
    ["with an unknown key id (JWT-13)", () => sealByJose(fresh(), { header: { kid: "x".repeat(10_000) } })],
    [
      "with a changed character (JWT-05)",
      async () =>
        (await sealByJose(fresh())).replace(
          /\.(.)([^.]*\.[^.]*)$/,
          (_, first, rest) => `.${first === "A" ? "B" : "A"}${rest}`,
        ),
    ],
    ["with a short tag (JWT-06)", async () => (await sealByJose(fresh())).slice(0, -11)],
  ])("%s is none: null, cookie cleared, one line in the log", async (_, seal) => {
    const { browser, logger } = openWith()
    browser.cookies.set(sessionCookie, await seal())
    const answer = await get(browser, "/auth/session")
    expect([answer.status, answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual([200, "null", ""])
    expect(logger.errorTypes()).toEqual(["JWTSessionError"])
    await browser.signIn("cred", right)
    expect(await browser.session()).not.toBeNull()
  })

  it("with members of the prototype pollutes nothing (JWT-16)", async () => {
    const { browser } = openWith()
    const claims = JSON.parse(
      `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"sub":"u-v","exp":${now() + 3600}}`,
    )
    browser.cookies.set(sessionCookie, await sealByJose(claims))
    await browser.session()
    expect(Reflect.get({}, "polluted")).toBeUndefined()
  })
})

describe("our session cookie", () => {
  it("opens by jose with the key of section 7, and holds the claims with iat, exp and jti", async () => {
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

  it("is read by getToken, from cookies and from a bearer header", async () => {
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

  it("of jwt.encode and jwt.decode is what those make of it", async () => {
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

  it("reads what the old one sealed, seals anew with the new one, and then does without the old one (JWT-12, KEY-04)", async () => {
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

  it("keeps csrf tokens and flows that began before it (KEY-04)", async () => {
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
  it("are no sessions, and a session is no check (JWT-10, HOST-09)", async () => {
    const host = openHost()
    const begun = await post(host.browser, "/auth/signin/oidc")
    const state = new URL(begun.location ?? "").searchParams.get("state") ?? ""
    const checks = host.browser.cookies.list().filter(({ name }) => /state|nonce|pkce|csrf/.test(name))
    expect(checks).toHaveLength(4)
    for (const value of [state, ...checks.map((cookie) => cookie.value)]) {
      host.browser.cookies.set(sessionCookie, value)
      expect(await host.browser.session()).toBeNull()
    }
    await host.newBrowser().signIn("oidc")
    const signedIn = host.newBrowser()
    await signedIn.signIn("oidc")
    const session = signedIn.cookies.get(sessionCookie) ?? ""
    for (const check of ["state", "nonce", "pkce"]) {
      const cookie = checks.find(({ name }) => name.includes(check))
      const tab = host.newBrowser()
      for (const { name, value } of checks) tab.cookies.set(name, name === cookie?.name ? session : value)
      const page = await tab.open(begun.location ?? "")
      expect(page.url.search).toBe("?error=Configuration")
      expect(host.logger.errorTypes().at(-1)).toBe("InvalidCheck")
    }
  })
})
