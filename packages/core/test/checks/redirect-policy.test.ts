import { Auth } from "@latchkey/core"
import type { AuthConfig } from "@latchkey/core/types"
import { fakeIdentityProvider, memoryAdapter } from "@latchkey/testkit"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createSealer } from "../../src/crypto/seal.js"
import { anyCharacter } from "../setup/any-character.js"
import { openHost } from "../setup/hosts.js"
import { requestTo, type TestRequestOptions } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

const home = "https://app.test"
const secret = "a secret of at least thirty-two characters"
const allowedOrigins = [home, "https://*.ok.test"]
const silent = { error: () => {}, warn: () => {}, debug: () => {} }
const pages = { signIn: "/login?x=1", signOut: "/bye", error: "/oops", verifyRequest: "/look?y=2" }
const idp = fakeIdentityProvider()
const redirectProxyUrl = `${home}/auth`

function configOf(changes: Partial<AuthConfig> = {}): AuthConfig {
  const providers = [idp.provider(), passwordProvider()]
  return { providers, secret, trustHost: true, logger: silent, allowedOrigins, redirectProxyUrl, ...changes }
}

const plain = configOf()
const paged = configOf({ pages })
const chosen = { text: "" }
const sending = configOf({ callbacks: { signIn: () => chosen.text } })

/** A browser with a valid CSRF pair. */
async function readPair() {
  const response = await Auth(requestTo("/auth/csrf"), plain)
  const { csrfToken } = await response.json()
  const cookie = response.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
  return { csrfToken, cookie }
}

/** The redirect of a response, in a header or as JSON; null without one. */
async function targetOf(path: string, options: TestRequestOptions, config: AuthConfig): Promise<string | null> {
  const response = await Auth(requestTo(path, options), config)
  const location = response.headers.get("location")
  if (location !== null || !options.headers?.["x-auth-return-redirect"]) return location
  return Object(await response.json()).url ?? null
}

const asJson = { "x-auth-return-redirect": "1" }
const sealer = createSealer([secret])

/** Every redirect that visitor input could affect, with its request. */
async function exits(): Promise<readonly ((text: string) => Promise<string | null>)[]> {
  const { csrfToken, cookie } = await readPair()
  const form = (callbackUrl: string) => ({ csrfToken, u: "v", p: "right", callbackUrl })
  const remembering = (text: string) => `${cookie}; __Secure-authjs.callback-url=${encodeURIComponent(text)}`
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
  return [
    (text) => targetOf("/auth/signout", { form: form(text), cookie }, plain),
    (text) => targetOf("/auth/signout", { form: form(text), cookie, headers: asJson }, plain),
    (text) => targetOf("/auth/signout", { form: form(""), cookie: remembering(text.toWellFormed()) }, plain),
    (text) => targetOf(`/auth/signout?callbackUrl=${encoded(text)}`, { form: form(""), cookie }, paged),
    (text) => targetOf("/auth/callback/cred", { form: form(text), cookie }, plain),
    (text) => targetOf("/auth/callback/cred", { form: { ...form(text), p: "wrong" }, cookie }, plain),
    (text) => targetOf("/auth/callback/cred", { form: form(text) }, paged),
    (text) => targetOf("/auth/callback/cred", { form: form(text), cookie, headers: asJson }, paged),
    (text) => targetOf(`/auth/signin?callbackUrl=${encoded(text)}&error=${encoded(text)}`, {}, paged),
    (text) => targetOf(`/auth/signout?callbackUrl=${encoded(text)}`, {}, paged),
    (text) => targetOf(`/auth/error?error=${encoded(text)}`, {}, paged),
    (text) => targetOf(`/auth/verify-request?provider=${encoded(text)}&type=${encoded(text)}`, {}, paged),
    (text) => targetOf(`/auth/callback/${encoded(text)}?error=${encoded(text)}`, {}, paged),
    (text) => {
      chosen.text = text
      return targetOf("/auth/callback/cred", { form: form("/in"), cookie }, sending)
    },
    async (text) => {
      const state = await sealer.seal("encodedState", { random: "r", flow: "012345678abcdefghij", origin: text }, 900)
      return targetOf(`/auth/callback/oidc?code=c&state=${encodeURIComponent(state)}`, {}, plain)
    },
  ]
}

const pieces = ["https://", "http:", "//", "\\", "/", "app.test", "a.ok.test", "evil.test", "@", ":443", ":8443", "\t"]
const morePieces = [
  "\n",
  "\r",
  "%0d",
  "%5c",
  "blob:",
  "javascript:",
  "data:",
  "?",
  "#",
  ".",
  "..",
  " ",
  "\0",
  "u:p",
  "[",
]
const callback = "/auth/callback/oidc"
const tricky = fc
  .array(fc.constantFrom(...pieces, ...morePieces, callback, "é", "\u2028", "\ud800"))
  .map((parts) => parts.join(""))
const anything = fc.oneof(
  tricky,
  fc.string({ unit: anyCharacter }),
  fc.webUrl(),
  tricky.map((text) => `/${text}`),
)

const { numRuns = 100 } = fc.readConfigureGlobal()

/** This origin, or one that the redirect proxy may forward to. */
function isAllowed({ origin, protocol }: URL): boolean {
  return origin === home || (protocol === "https:" && /^https:\/\/[a-z0-9_-]+\.ok\.test$/.test(origin))
}

describe("every redirect", () => {
  it("URL-18: stays at this or an allowed origin, for a thousand texts", async () => {
    const ways = await exits()
    const reached = new Set<number>()
    await fc.assert(
      fc.asyncProperty(fc.nat(ways.length - 1), anything, async (way, text) => {
        const target = (await ways[way]?.(text)) ?? null
        if (target === null) return
        reached.add(way)
        const url = new URL(target, `${home}/auth/x`)
        expect(isAllowed(url), target).toBe(true)
        expect([url.username, url.password]).toEqual(["", ""])
        expect(target).toMatch(/^[\x21-\x5b\x5d-\x7e]+$/)
        const inner = url.searchParams.get("callbackUrl")
        if (inner !== null) expect(new URL(inner, home).origin, target).toBe(home)
      }),
      // Ten thousand with `npm run test:properties`.
      { numRuns: 10 * numRuns },
    )
    expect([...reached].sort((a, b) => a - b)).toEqual(ways.map((_, way) => way))
  })

  it("URL-18: stays at this or an allowed origin for new users and after a provider's callback", {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(anything, fc.boolean(), async (callbackUrl, isWelcomed) => {
        const host = openHost({ adapter: memoryAdapter(), ...(isWelcomed && { pages: { newUser: "/welcome?x=1" } }) })
        const { hops } = await host.browser.signIn("oidc", { callbackUrl })
        for (const { url } of hops) expect([home, host.idp.origin]).toContain(url.origin)
        const inner = hops.at(-1)?.url.searchParams.get("callbackUrl") ?? null
        if (inner !== null) expect(new URL(inner, home).origin).toBe(home)
      }),
      { numRuns: 60 },
    )
  })
})
