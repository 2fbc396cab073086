import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/setup/failure-of.js"
import { keptCookies } from "../../test/setup/kept-cookies.js"
import { authRequestTo } from "../../test/setup/requests.js"
import { macHex } from "../crypto/hash.js"
import { readCookies } from "../http/cookies.js"
import { resolveCookies } from "../http/own-cookies.js"
import { createCsrf, skippedCsrf } from "./csrf.js"

const secret = "a secret of at least thirty-two characters"
const oldSecret = "the secret that was used before this one"
const cookie = resolveCookies(undefined, { isSecure: true }).csrfToken
const csrf = createCsrf(cookie, [secret])
const noCookies = readCookies(null)

/** A browser that has fetched a token. */
async function visitor(by = csrf) {
  const browser = keptCookies()
  const { token = "", cookies } = await by.issue(browser.jar())
  browser.keep(cookies)
  return { token, cookie: browser.header(), pair: browser.get(cookie.name) ?? "" }
}

function signIn(options: Parameters<typeof authRequestTo>[1]) {
  return authRequestTo("/auth/signin/oidc", { method: "POST", ...options })
}

async function expectRejected(request: ReturnType<typeof signIn>, by = csrf) {
  const started = await request
  const { error } = await failureOf((async () => by.assertVerified(started))())
  expect(error.type).toBe("MissingCSRF")
  return error
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

describe("assertVerified", () => {
  it("CSRF-01: rejects a form without a token", async () => {
    const { cookie } = await visitor()
    await expectRejected(signIn({}))
    await expectRejected(signIn({ cookie, form: { email: "a@b.test" } }))
    await expectRejected(signIn({ cookie, form: { csrfToken: "" } }))
  })

  it("CSRF-01: does not accept a token from the query", async () => {
    const { cookie, token } = await visitor()
    await expectRejected(authRequestTo(`/auth/signin/oidc?csrfToken=${token}`, { cookie, form: { a: "b" } }))
  })

  it("CSRF-03: rejects a valid token without the cookie", async () => {
    const { token } = await visitor()
    await expectRejected(signIn({ form: { csrfToken: token } }))
  })

  it("CSRF-04: rejects a pair with a hash that needs no secret", async () => {
    const token = "a".repeat(64)
    for (const hash of [sha256(token), token, "0".repeat(64)]) {
      await expectRejected(signIn({ cookie: `${cookie.name}=${token}%7C${hash}`, form: { csrfToken: token } }))
    }
  })

  it("CSRF-05: rejects a pair of Auth.js, whose hash covers token and secret concatenated", async () => {
    const token = "a".repeat(64)
    const old = `${token}%7C${sha256(`${token}${secret}`)}`
    await expectRejected(signIn({ cookie: `${cookie.name}=${old}`, form: { csrfToken: token } }))
  })

  it("CSRF-06: rejects the token of another browser", async () => {
    const [attacker, victim] = [await visitor(), await visitor()]
    await expectRejected(signIn({ cookie: victim.cookie, form: { csrfToken: attacker.token } }))
  })

  it("rejects a token that is longer, shorter or in upper case", async () => {
    const { cookie, token } = await visitor()
    for (const csrfToken of [`${token}0`, token.slice(1), token.toUpperCase().replace(/^\d*$/, "A"), ` ${token}`]) {
      await expectRejected(signIn({ cookie, form: { csrfToken } }))
    }
  })

  it.each([
    "https://evil.test",
    "null",
    "http://app.test",
    "https://app.test:8443",
    "https://app.test.evil.test",
    "junk",
  ])("CSRF-10, CSRF-11: rejects a valid token from the origin %s", async (origin) => {
    const { cookie, token } = await visitor()
    await expectRejected(signIn({ cookie, form: { csrfToken: token }, headers: { origin } }))
  })

  it.each(["cross-site", "same-site", "none", ""])(
    "CSRF-11: rejects the origin null with Sec-Fetch-Site %j",
    async (site) => {
      const { cookie, token } = await visitor()
      const headers = { origin: "null", "sec-fetch-site": site }
      await expectRejected(signIn({ cookie, form: { csrfToken: token }, headers }))
    },
  )

  it("CSRF-11: accepts the origin null of a same-origin form, but no foreign origin", async () => {
    const { cookie, token } = await visitor()
    const own = { "sec-fetch-site": "same-origin" }
    await csrf.assertVerified(await signIn({ cookie, form: { csrfToken: token }, headers: { ...own, origin: "null" } }))
    const foreign = { ...own, origin: "https://evil.test" }
    await expectRejected(signIn({ cookie, form: { csrfToken: token }, headers: foreign }))
  })

  it("names in the error what was missing or wrong", async () => {
    const { cookie, token: csrfToken } = await visitor()
    const messages = [
      await expectRejected(signIn({ cookie })),
      await expectRejected(signIn({ form: { csrfToken } })),
      await expectRejected(signIn({ cookie, form: { csrfToken: "0".repeat(64) } })),
    ].map(({ message }) => message)
    expect(messages).toEqual([
      expect.stringMatching(/^The form has no csrfToken/),
      expect.stringMatching(/^The CSRF cookie is missing/),
      expect.stringMatching(/does not match the cookie$/),
    ])
  })

  it("names both origins in the error, and not the token", async () => {
    const { cookie, token } = await visitor()
    const headers = { origin: "https://app.example/%0a[auth]" }
    const { message } = await expectRejected(signIn({ cookie, form: { csrfToken: token }, headers }))
    expect(message).toMatch(/from https:\/\/app.example, .* at https:\/\/app.test\./)
    expect(message).not.toContain(token)
  })

  it("CSRF-11: accepts a valid token of a client that sends no origin", async () => {
    const { cookie, token } = await visitor()
    await csrf.assertVerified(await signIn({ cookie, form: { csrfToken: token } }))
  })

  it("accepts a form of this site, also as JSON", async () => {
    const { cookie, token: csrfToken } = await visitor()
    const headers = { origin: "https://app.test" }
    await csrf.assertVerified(await signIn({ cookie, form: { csrfToken }, headers }))
    await csrf.assertVerified(await signIn({ cookie, json: { csrfToken }, headers }))
  })

  it("KEY-04: accepts a pair of the old secret until that secret is removed", async () => {
    const { cookie: header, token: csrfToken } = await visitor(createCsrf(cookie, [oldSecret]))
    const form = { csrfToken }
    await createCsrf(cookie, [secret, oldSecret]).assertVerified(await signIn({ cookie: header, form }))
    const { message } = await expectRejected(signIn({ cookie: header, form }), csrf)
    expect(message).toMatch(/^The CSRF cookie was issued with another secret: by another process or app/)
  })
})

describe("issue", () => {
  it("creates a token of 32 bytes and its cookie", async () => {
    const { token, cookies } = await csrf.issue(noCookies)
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(cookies).toEqual([{ ...cookie, value: expect.stringMatching(new RegExp(`^${token}\\|[0-9a-f]{64}$`)) }])
    expect(cookies[0]?.options).toEqual({ httpOnly: true, sameSite: "lax", path: "/", secure: true })
    expect((await csrf.issue(noCookies)).token).not.toBe(token)
  })

  it("keeps a token that it issued, and sets no cookie", async () => {
    const { cookie, token } = await visitor()
    expect(await csrf.issue(readCookies(cookie))).toEqual({ token, cookies: [] })
  })

  it.each([
    ["CSRF-04: a forged pair", `${"a".repeat(64)}|${sha256("a".repeat(64))}`],
    ["a pair of Auth.js", `${"a".repeat(64)}|${sha256(`${"a".repeat(64)}${secret}`)}`],
    ["a short pair", "aa|bb"],
    ["an empty pair", ""],
  ])("%s is replaced", async (_, value) => {
    const jar = keptCookies({ [cookie.name]: value }).jar()
    const { token, cookies } = await csrf.issue(jar)
    expect(value).not.toContain(token)
    expect(cookies).toHaveLength(1)
  })

  it("CSRF-05: uses a MAC that does not change meaning when characters move between secret and token", async () => {
    const { token, pair } = await visitor()
    const hash = pair.slice(65)
    expect(hash).not.toBe(sha256(`${token}${secret}`))
    // The secret is one character longer, the token one shorter.
    const shifted = createCsrf(cookie, [`${token.at(-1)}${secret}`])
    const jar = keptCookies({ [cookie.name]: `${token.slice(0, -1)}|${hash}` }).jar()
    expect((await shifted.issue(jar)).cookies).toHaveLength(1)
  })

  it("CSRF-05: computes different MACs for inputs whose concatenation is the same", async () => {
    const [first, second] = await Promise.all([macHex("ab", "csrf", "x"), macHex("b", "csrf", "xa")])
    expect(first).not.toBe(second)
    expect([first, second]).not.toContain(sha256("xab"))
  })

  it("KEY-04: issues a new pair with the newest secret", async () => {
    const { cookie: header, token } = await visitor(createCsrf(cookie, [secret, oldSecret]))
    expect((await csrf.issue(readCookies(header))).token).toBe(token)
  })
})

describe("skippedCsrf", () => {
  it("CSRF-15: issues no token, accepts every form, and clears a remaining cookie", async () => {
    const skipped = skippedCsrf(cookie)
    expect(await skipped.issue(noCookies)).toEqual({ token: undefined, cookies: [] })
    await skipped.assertVerified(await signIn({ headers: { origin: "https://evil.test" } }))
    expect(skipped.clearLeftover()).toEqual([{ ...cookie, value: "", options: { ...cookie.options, maxAge: 0 } }])
  })
})
