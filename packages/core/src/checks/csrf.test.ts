import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/failure-of.js"
import { keptCookies } from "../../test/kept-cookies.js"
import { visitTo } from "../../test/visits.js"
import { macHex } from "../crypto/hash.js"
import { resolveCookies } from "../http/cookie-options.js"
import { readCookies } from "../http/cookies.js"
import { createCsrf, skippedCsrf } from "./csrf.js"

const secret = "a secret of at least thirty-two characters"
const oldSecret = "the secret that was used before this one"
const cookie = resolveCookies(undefined, { isSecure: true }).csrfToken
const csrf = createCsrf(cookie, [secret])
const noCookies = readCookies(null)

/** A visitor who has fetched a token. */
async function visitor(by = csrf) {
  const browser = keptCookies()
  const { token = "", cookies } = await by.issue(browser.jar())
  browser.keep(cookies)
  return { token, cookie: browser.header(), pair: browser.get(cookie.name) ?? "" }
}

function signIn(options: Parameters<typeof visitTo>[1]) {
  return visitTo("/auth/signin/oidc", { method: "POST", ...options })
}

async function expectRefused(request: ReturnType<typeof signIn>, by = csrf) {
  const { error } = await failureOf(by.assertVerified(await request))
  expect(error.type).toBe("MissingCSRF")
  return error
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

describe("assertVerified", () => {
  it("CSRF-01: refuses a form without a token", async () => {
    const { cookie } = await visitor()
    await expectRefused(signIn({}))
    await expectRefused(signIn({ cookie, form: { email: "a@b.test" } }))
    await expectRefused(signIn({ cookie, form: { csrfToken: "" } }))
  })

  it("CSRF-01: does not take a token from the query", async () => {
    const { cookie, token } = await visitor()
    await expectRefused(visitTo(`/auth/signin/oidc?csrfToken=${token}`, { cookie, form: { a: "b" } }))
  })

  it("CSRF-03: refuses a right token without the cookie", async () => {
    const { token } = await visitor()
    await expectRefused(signIn({ form: { csrfToken: token } }))
  })

  it("CSRF-04: refuses a pair whose hash anybody could make", async () => {
    const token = "a".repeat(64)
    for (const hash of [sha256(token), token, "0".repeat(64)]) {
      await expectRefused(signIn({ cookie: `${cookie.name}=${token}%7C${hash}`, form: { csrfToken: token } }))
    }
  })

  it("CSRF-05: refuses a pair in the old form, a hash of token and secret run together", async () => {
    const token = "a".repeat(64)
    const old = `${token}%7C${sha256(`${token}${secret}`)}`
    await expectRefused(signIn({ cookie: `${cookie.name}=${old}`, form: { csrfToken: token } }))
  })

  it("CSRF-06: refuses the token of another browser", async () => {
    const [attacker, victim] = [await visitor(), await visitor()]
    await expectRefused(signIn({ cookie: victim.cookie, form: { csrfToken: attacker.token } }))
  })

  it("refuses a token that is longer, shorter or in capitals", async () => {
    const { cookie, token } = await visitor()
    for (const csrfToken of [`${token}0`, token.slice(1), token.toUpperCase().replace(/^\d*$/, "A"), ` ${token}`]) {
      await expectRefused(signIn({ cookie, form: { csrfToken } }))
    }
  })

  it.each([
    "https://evil.test",
    "null",
    "http://app.test",
    "https://app.test:8443",
    "https://app.test.evil.test",
    "junk",
  ])("CSRF-10, CSRF-11: refuses a right token from the origin %s", async (origin) => {
    const { cookie, token } = await visitor()
    await expectRefused(signIn({ cookie, form: { csrfToken: token }, headers: { origin } }))
  })

  it.each(["cross-site", "same-site", "none", ""])("CSRF-11: refuses the origin null of a %j form", async (site) => {
    const { cookie, token } = await visitor()
    const headers = { origin: "null", "sec-fetch-site": site }
    await expectRefused(signIn({ cookie, form: { csrfToken: token }, headers }))
  })

  it("CSRF-11: lets a form of our own page pass that hides its origin, and no other", async () => {
    const { cookie, token } = await visitor()
    const own = { "sec-fetch-site": "same-origin" }
    await csrf.assertVerified(await signIn({ cookie, form: { csrfToken: token }, headers: { ...own, origin: "null" } }))
    const foreign = { ...own, origin: "https://evil.test" }
    await expectRefused(signIn({ cookie, form: { csrfToken: token }, headers: foreign }))
  })

  it("says in the log what was missing or wrong", async () => {
    const { cookie, token: csrfToken } = await visitor()
    const messages = [
      await expectRefused(signIn({ cookie })),
      await expectRefused(signIn({ form: { csrfToken } })),
      await expectRefused(signIn({ cookie, form: { csrfToken: "0".repeat(64) } })),
    ].map(({ message }) => message)
    expect(messages).toEqual([
      expect.stringMatching(/^The form has no csrfToken/),
      expect.stringMatching(/^The csrf cookie is absent/),
      expect.stringMatching(/not that of the cookie$/),
    ])
  })

  it("says in the log what may be wrong with a proxy, and no token", async () => {
    const { cookie, token } = await visitor()
    const headers = { origin: "https://app.example/%0a[auth]" }
    const { message } = await expectRefused(signIn({ cookie, form: { csrfToken: token }, headers }))
    expect(message).toMatch(/from https:\/\/app.example, .* at https:\/\/app.test\./)
    expect(message).not.toContain(token)
  })

  it("CSRF-11: judges a client that names no origin by its token", async () => {
    const { cookie, token } = await visitor()
    await csrf.assertVerified(await signIn({ cookie, form: { csrfToken: token } }))
  })

  it("lets a form of ours pass, also as JSON", async () => {
    const { cookie, token: csrfToken } = await visitor()
    const headers = { origin: "https://app.test" }
    await csrf.assertVerified(await signIn({ cookie, form: { csrfToken }, headers }))
    await csrf.assertVerified(await signIn({ cookie, json: { csrfToken }, headers }))
  })

  it("KEY-04: accepts a pair made under the old secret until that secret is gone", async () => {
    const { cookie: header, token: csrfToken } = await visitor(createCsrf(cookie, [oldSecret]))
    const form = { csrfToken }
    await createCsrf(cookie, [secret, oldSecret]).assertVerified(await signIn({ cookie: header, form }))
    await expectRefused(signIn({ cookie: header, form }), csrf)
  })
})

describe("issue", () => {
  it("makes a token of 32 bytes, and the pair that goes with it", async () => {
    const { token, cookies } = await csrf.issue(noCookies)
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(cookies).toEqual([{ ...cookie, value: expect.stringMatching(new RegExp(`^${token}\\|[0-9a-f]{64}$`)) }])
    expect(cookies[0]?.options).toEqual({ httpOnly: true, sameSite: "lax", path: "/", secure: true })
    expect((await csrf.issue(noCookies)).token).not.toBe(token)
  })

  it("keeps a token that it made, and sets nothing then", async () => {
    const { cookie, token } = await visitor()
    expect(await csrf.issue(readCookies(cookie))).toEqual({ token, cookies: [] })
  })

  it.each([
    ["CSRF-04: a forged pair", `${"a".repeat(64)}|${sha256("a".repeat(64))}`],
    ["a pair in the old form", `${"a".repeat(64)}|${sha256(`${"a".repeat(64)}${secret}`)}`],
    ["a short pair", "aa|bb"],
    ["an empty pair", ""],
  ])("%s is replaced", async (_, value) => {
    const jar = keptCookies({ [cookie.name]: value }).jar()
    const { token, cookies } = await csrf.issue(jar)
    expect(value).not.toContain(token)
    expect(cookies).toHaveLength(1)
  })

  it("CSRF-05: makes a keyed hash, in which secret and token cannot run into each other", async () => {
    const { token, pair } = await visitor()
    const hash = pair.slice(65)
    expect(hash).not.toBe(sha256(`${token}${secret}`))
    // The secret one character longer, the token one shorter: no pair of the one is a pair of the other.
    const shifted = createCsrf(cookie, [`${token.at(-1)}${secret}`])
    const jar = keptCookies({ [cookie.name]: `${token.slice(0, -1)}|${hash}` }).jar()
    expect((await shifted.issue(jar)).cookies).toHaveLength(1)
  })

  it("CSRF-05: makes different hashes of what would be the same text run together", async () => {
    const [first, second] = await Promise.all([macHex("ab", "csrf", "x"), macHex("b", "csrf", "xa")])
    expect(first).not.toBe(second)
    expect([first, second]).not.toContain(sha256("xab"))
  })

  it("KEY-04: seals a new pair with the newest secret", async () => {
    const { cookie: header, token } = await visitor(createCsrf(cookie, [secret, oldSecret]))
    expect((await csrf.issue(readCookies(header))).token).toBe(token)
  })
})

describe("skippedCsrf", () => {
  it("CSRF-15: has no token, lets every form pass, and clears what is left of one", async () => {
    const skipped = skippedCsrf(cookie)
    expect(await skipped.issue(noCookies)).toEqual({ token: undefined, cookies: [] })
    await skipped.assertVerified(await signIn({ headers: { origin: "https://evil.test" } }))
    expect(skipped.leftover).toEqual([{ ...cookie, value: "", options: { ...cookie.options, maxAge: 0 } }])
  })
})
