import { decode, encode } from "@latchkey/core/jwt"
import { memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { macHex } from "../../src/crypto/hash.js"
import { createSealer } from "../../src/crypto/seal.js"
import { resolveCookies } from "../../src/http/own-cookies.js"
import { openHost } from "../setup/hosts.js"
import { ask, post } from "../setup/requests.js"
import { sessionCookie } from "../setup/sign-ins.js"

const secret = "0f9c2ab74d1e83655ac0b9e7d2431f68"
const names = [true, false].flatMap((isSecure) =>
  Object.values(resolveCookies(undefined, { isSecure })).map(({ name }) => name),
)
/** All sealed values, by the purpose of their key. */
const purposes = [
  ...names,
  ...["encodedState", "encodedWebauthnChallenge", "native:session", "native:code", "native:consent"],
]
const claims = { value: "v", provider: "oidc", sub: "u-v", random: "r", flow: "012345678abcdefghij" }

/** The key id of a token: the thumbprint of its key, RFC 7638. */
function kidOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split(".", 1)[0] ?? "", "base64url").toString()).kid
}

describe("a value sealed for one purpose", () => {
  const sealer = createSealer([secret])

  it("HOST-09, JWT-10: cannot be opened for any other purpose", { timeout: 60_000 }, async () => {
    for (const purpose of purposes) {
      const sealed = await sealer.seal(purpose, claims, 900)
      for (const other of purposes) {
        const opened = await sealer.open(other, sealed)
        expect([purpose, other, opened !== null]).toEqual([purpose, other, purpose === other])
        const asSession = await decode({ token: sealed, secret, salt: other }).catch(() => null)
        expect([purpose, other, asSession !== null]).toEqual([purpose, other, purpose === other])
      }
    }
  })

  it("HOST-09: cannot be opened by giving two cookies one name, which is rejected", async () => {
    const cookies = { state: { name: "one.name" }, sessionToken: { name: "one.name" } }
    const host = openHost({ cookies })
    expect((await ask(host, "/auth/session")).status).toBe(500)
    expect(host.logger.errors[0]?.message).toMatch(/^cookies\.state: has the same name as cookies\.sessionToken/)
  })

  it("KEY-03: has its own key, and so has each hash", async () => {
    const tokens = await Promise.all(purposes.map((salt) => encode({ token: claims, secret, salt })))
    expect(new Set(tokens.map(kidOf)).size).toBe(purposes.length)
    const mac = await macHex(secret, "csrf", "text")
    const others = await Promise.all([...purposes, "mail"].map((purpose) => macHex(secret, purpose, "text")))
    expect(others).not.toContain(mac)
    expect(new Set(others).size).toBe(others.length)
  })

  it("KEY-03: differs from the stored hash of a mailed token and the MAC of the CSRF cookie", async () => {
    const adapter = memoryAdapter()
    const host = openHost({
      secret,
      adapter,
      providers: [{ ...testEmail(), generateVerificationToken: () => "a".repeat(64) }],
    })
    await host.browser.signIn("email", { email: "v@corp.test" })
    const [stored] = adapter.calls
      .filter(({ method }) => method === "createVerificationToken")
      .map(({ args }) => args[0])
    const hashed = Object(stored).token
    expect(hashed).toMatch(/^[0-9a-f]{64}$/)
    for (const purpose of [...purposes, "csrf", "mail"])
      expect(await macHex(secret, purpose, "a".repeat(64))).not.toBe(hashed)
    const cookie = `__Host-authjs.csrf-token=${"a".repeat(64)}%7C${hashed}`
    const answer = await ask(host, "/auth/signout", { form: { csrfToken: "a".repeat(64) }, cookie })
    expect(answer.location).toBe("https://app.test/auth/signin?error=MissingCSRF")
  })
})

describe("the sealed values of a browser", () => {
  /** The sealed values of a pending flow and a session, by their place. */
  async function collect(host: TestHost): Promise<Map<string, string>> {
    const signedIn = host.newBrowser()
    await signedIn.signIn("oidc")
    const { location } = await post(host.browser, "/auth/signin/oidc", { callbackUrl: "/in" })
    const flow = host.browser.cookies.list().filter(({ name }) => /state|nonce|pkce/.test(name))
    const state = new URL(location ?? "").searchParams.get("state") ?? ""
    return new Map([
      ["state", state],
      [sessionCookie, signedIn.cookies.get(sessionCookie) ?? ""],
      ...flow.map(({ name, value }) => [name, value] as const),
    ])
  }

  it("HOST-09, JWT-10: are only accepted in their own place", { timeout: 60_000 }, async () => {
    const host = openHost({ secret })
    const values = await collect(host)
    expect(values.size).toBe(5)
    const own = new Map(values)
    const back = (state: string) => `/auth/callback/oidc?code=c&state=${encodeURIComponent(state)}`
    for (const slot of values.keys()) {
      for (const [purpose, value] of values) {
        if (slot === purpose) continue
        const tokens = host.idp.requests.token.length
        const jar = new Map(own).set(slot, value)
        const cookie = [...jar]
          .filter(([name]) => name !== "state")
          .map(([name, text]) => `${name}=${text}`)
          .join("; ")
        const session = await ask(host, "/auth/session", { cookie })
        expect([slot, purpose, session.text === "null"]).toEqual([slot, purpose, slot === sessionCookie])
        if (slot === sessionCookie) continue
        const answer = await ask(host, back(jar.get("state") ?? ""), { cookie })
        expect([slot, purpose, answer.location]).toEqual([
          slot,
          purpose,
          "https://app.test/auth/error?error=Configuration",
        ])
        expect(host.idp.requests.token).toHaveLength(tokens)
        expect(host.logger.errorTypes().at(-1)).toBe("InvalidCheck")
      }
    }
  })

  it("HOST-07: a state is rejected with any one character changed", {
    timeout: 60_000,
  }, async () => {
    const idp = openHost().idp
    const allowedOrigins = ["https://app.test", "https://preview.test"]
    const shared = {
      secret,
      idp,
      redirectProxyUrl: "https://app.test/auth",
      allowedOrigins,
      providers: [idp.provider()],
    }
    const preview = openHost({ ...shared, origin: "https://preview.test" })
    const proxy = openHost(shared)
    const { location } = await post(preview.browser, "/auth/signin/oidc")
    const state = new URL(location ?? "").searchParams.get("state") ?? ""
    const untouched = await ask(proxy, `/auth/callback/oidc?code=c&state=${state}`)
    expect(untouched.location).toBe(`https://preview.test/auth/callback/oidc?code=c&state=${state}`)
    const positions = Array.from({ length: 40 }, (_, n) => Math.floor((n * state.length) / 40))
    for (const at of positions) {
      // The last bits of a part may be padding, but never the first character.
      const changed = state.slice(0, at) + (state[at] === "A" ? "B" : "A") + state.slice(at + 1)
      const answer = await ask(proxy, `/auth/callback/oidc?code=c&state=${changed}`)
      expect([at, answer.location]).toEqual([at, "https://app.test/auth/error?error=Configuration"])
    }
    expect(new Set(proxy.logger.errorTypes())).toEqual(new Set(["InvalidCheck"]))
    expect(proxy.idp.requests.token).toEqual([])
  })
})

describe("one service under several names", () => {
  it("HOST-06: answers each of a hundred interleaved requests under its own name", { timeout: 60_000 }, async () => {
    const host = openHost({
      allowedOrigins: ["https://*.app.test"],
      providers: ({ idp }) => [idp.provider(), testEmail()],
    })
    const answers = Array.from({ length: 100 }, async (_, n) => {
      const origin = `https://${"ab"[n % 2]}.app.test`
      const headers = { host: `${"ab"[n % 2]}.app.test` }
      const [list, page] = await Promise.all([
        ask(host, "/auth/providers", { origin, headers }),
        ask(host, "/auth/signin?callbackUrl=/in", { origin, headers }),
      ])
      const csrf = await ask(host, "/auth/csrf", { origin, headers })
      const pair = csrf.cookies.get("__Host-authjs.csrf-token")?.value ?? ""
      const form = { csrfToken: pair.split("|", 1)[0] ?? "", email: `v${n}@corp.test` }
      const cookie = `__Host-authjs.csrf-token=${encodeURIComponent(pair)}`
      const mailed = await ask(host, "/auth/signin/email", { origin, headers, form, cookie })
      expect(list.json()).toMatchObject({ oidc: { signinUrl: `${origin}/auth/signin/oidc` } })
      expect([page.text.includes(`${origin}/in`), page.text.includes(`https://${"ba"[n % 2]}.app.test`)]).toEqual([
        true,
        false,
      ])
      expect(mailed.location).toBe(`${origin}/auth/verify-request?provider=email&type=email`)
      return origin
    })
    const origins = await Promise.all(answers)
    const links = new Map(host.mailbox.messages.map(({ to, url }) => [to, new URL(url).origin]))
    origins.forEach((origin, n) => {
      expect(links.get(`v${n}@corp.test`)).toBe(origin)
    })
  })
})
