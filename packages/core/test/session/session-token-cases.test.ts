import { getToken } from "@latchkey/core/jwt"
import type { TestHost } from "@latchkey/testkit"
import fc from "fast-check"
import { base64url } from "jose"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { get, post } from "../setup/requests.js"
import { fresh, sealByJose, secret } from "../setup/sealed-by-jose.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const right = { u: "v", p: "right" }
const open = (options: Parameters<typeof openHost>[0] = {}): TestHost =>
  openHost({ providers: [passwordProvider()], secret, ...options })

/**
 * Expects the same for every bad token: null, its cookies cleared, one log entry; then the browser can sign in again.
 */
async function expectNoSession(value: string, host: TestHost = open()): Promise<void> {
  const { browser, logger, idp, events } = host
  browser.cookies.set(sessionCookie, value)
  const answer = await get(browser, "/auth/session")
  expect([answer.status, answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual([200, "null", ""])
  expect(logger.errors).toMatchObject([{ type: "JWTSessionError", message: "The session token was rejected" }])
  expect(logger.texts().join()).not.toContain(value.slice(0, 40))
  expect([events.names(), Object.values(idp.requests).flat()]).toEqual([[], []])
  await browser.signIn("cred", right)
  expect((await browser.session())?.user?.name).toBe("V")
}

const encode = (part: unknown) => base64url.encode(typeof part === "string" ? part : JSON.stringify(part))
const withHeader = (token: string, header: object) => [encode(header), ...token.split(".").slice(1)].join(".")

describe("a session token", () => {
  it("JWT-02: is rejected with the algorithm none, in three parts and in five", async () => {
    await expectNoSession(`${encode({ alg: "none" })}.${encode(fresh())}.`)
    await expectNoSession(withHeader(await sealByJose(fresh()), { alg: "none", enc: "A256CBC-HS512" }))
  })

  it.each([
    { alg: "A256KW" },
    { alg: "RSA-OAEP" },
    { alg: "ECDH-ES", epk: { kty: "EC", crv: "P-256", x: "AA", y: "AA" } },
    { alg: "PBES2-HS512+A256KW", p2c: 2, p2s: "AAAA" },
    { enc: "A128GCM" },
    { enc: "A128CBC-HS256" },
    { alg: "DIR" },
  ])("JWT-03: is rejected with other algorithms: %j", async (parameters) => {
    const header = { alg: "dir", enc: "A256CBC-HS512", ...parameters }
    await expectNoSession(withHeader(await sealByJose(fresh()), header))
  })

  it.each([{ alg: "PBES2-HS256+A128KW", p2c: 2_147_483_647, p2s: "AAAA" }, { zip: "DEF" }, { crit: ["exp"] }])(
    "JWT-04: is rejected with an expensive or critical header: %j",
    async (parameters) => {
      const header = { alg: "dir", enc: "A256CBC-HS512", ...parameters }
      await expectNoSession(withHeader(await sealByJose(fresh()), header))
    },
  )

  it("JWT-05: is rejected with any one bit changed, always with the same answer", async () => {
    const token = await sealByJose(fresh())
    const host = open()
    const parts = token.split(".")
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 2, 3, 4), fc.nat(), async (index, at) => {
        const bytes = base64url.decode(parts[index] ?? "")
        const bit = at % (bytes.length * 8)
        const changed = bytes.map((byte, n) => (n === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
        host.browser.cookies.set(sessionCookie, parts.with(index, base64url.encode(changed)).join("."))
        const answer = await get(host.browser, "/auth/session")
        expect([answer.status, answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual([200, "null", ""])
      }),
      { numRuns: 200 },
    )
    const messages = host.logger.errors.map(({ message, cause }) => `${message} ${Object(Object(cause).err).message}`)
    expect(new Set(messages).size).toBe(1)
  })

  it.each([
    ["a tag of eight bytes", (parts: readonly string[]) => parts.with(4, encode("8 bytes!"))],
    ["an empty tag", (parts: readonly string[]) => parts.with(4, "")],
    ["an empty IV", (parts: readonly string[]) => parts.with(2, "")],
  ])("JWT-06: is rejected with %s", async (_, change) => {
    await expectNoSession(change((await sealByJose(fresh())).split(".")).join("."))
  })

  it.each<[string, unknown]>([
    ["unknown", crypto.randomUUID()],
    ["of ten thousand characters", "k".repeat(2500)],
    ["that is a list", ["k"]],
  ])("JWT-13: is rejected with a key id %s", async (_, kid) => {
    const header = { alg: "dir", enc: "A256CBC-HS512", kid }
    await expectNoSession(withHeader(await sealByJose(fresh()), header))
  })

  it("JWT-13: is named in a warning, once, if another secret encrypted it", async () => {
    const host = open()
    await expectNoSession(await sealByJose(fresh(), { from: "another secret of at least thirty-two characters" }), host)
    await expectNoSession("not.a.token", open())
    expect(host.logger.warnings).toEqual(["session-of-other-secret"])
    const expired = open()
    await expectNoSession(await sealByJose({ ...fresh(), exp: 1 }), expired)
    expect(expired.logger.warnings).toEqual([])
  })

  it("JWT-13: is not compared with our keys if the app decodes it", async () => {
    const host = open({ jwt: { decode: () => null } })
    host.browser.cookies.set(sessionCookie, await sealByJose(fresh(), { from: "f".repeat(32) }))
    expect(await host.browser.session()).toBeNull()
    expect(host.logger.warnings).toEqual([])
  })

  it.each([
    { jku: "https://evil.test/keys" },
    { x5u: "https://evil.test/chain" },
    { jwk: { kty: "oct", k: "AAAA" } },
    { x5c: ["AAAA"] },
  ])("JWT-14: is decrypted with our keys only, not with those in its header: %j", async (header) => {
    const host = open()
    host.browser.cookies.set(sessionCookie, await sealByJose(fresh(), { header }))
    expect((await host.browser.session())?.user?.name).toBe("V")
    expect(Object.values(host.idp.requests).flat()).toEqual([])
    await expectNoSession(await sealByJose(fresh(), { header, from: "f".repeat(32) }))
  })

  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
  it.each([
    ["null", "null"],
    ["a list", "[]"],
    ["a string", '"x"'],
    ["ten thousand levels deep", `{"exp":9999999999,"a":${deep(600)}}`],
  ])("JWT-15: is rejected when its content is %s", async (_, content) => {
    await expectNoSession(await sealByJose(content))
  })

  it.each([
    ["a megabyte", 1024 * 1024, 431, '"Bad request."'],
    ["80 KiB", 60 * 1024, 200, "null"],
  ])("JWT-15: is rejected with a length of %s", async (_, length, status, text) => {
    const host = open()
    const response = await host.handler(
      new Request("https://app.test/auth/session", {
        headers: { cookie: `${sessionCookie}=${await sealByJose({ ...fresh(), filler: "x".repeat(length) })}` },
      }),
    )
    expect([response.status, await response.text()]).toEqual([status, text])
  })
})

describe("getToken", () => {
  const values = ["Bearer", "Bearer %E0%A4%A", "Bearer a b", `Bearer ${"x".repeat(1024 * 1024)}`, "Basic x"]

  it.each(values)("JWT-21: returns null for %.20s, and never throws", async (authorization) => {
    const req = new Request("https://app.test", { headers: { authorization } })
    expect(await getToken({ req, secret })).toBeNull()
    expect(await getToken({ req, secret, secureCookie: true })).toBeNull()
  })

  it("JWT-22: returns a forged token unverified with raw", async () => {
    const forged = `${encode({ alg: "none" })}.${encode({ sub: "u-v" })}.`
    const req = new Request("https://app.test/auth/session", { headers: { cookie: `${sessionCookie}=${forged}` } })
    const shared = { secret, secureCookie: true }
    expect(await getToken({ req: req.clone(), raw: true, ...shared })).toBe(forged)
    expect(await getToken({ req: req.clone(), ...shared })).toBeNull()
    expect(await (await open().handler(req)).text()).toBe("null")
  })
})

describe("a copied stateless token", () => {
  const copyAfterSignOut = async (host: TestHost) => {
    await host.browser.signIn("cred", right)
    const copy = host.browser.cookies.get(sessionCookie) ?? ""
    await post(host.browser, "/auth/signout")
    const thief = host.newBrowser()
    thief.cookies.set(sessionCookie, copy)
    return thief
  }

  it("JWT-24: stays valid after its owner signs out, as the guide says", async () => {
    const thief = await copyAfterSignOut(open())
    expect((await thief.session())?.user?.name).toBe("V")
  })

  it("JWT-24: is rejected if the jwt callback checks who signed out", async () => {
    const revoked = new Set<string>()
    const host = open({
      callbacks: {
        jwt: ({ token, user }) => {
          if (user) return { ...token, sid: crypto.randomUUID() }
          return revoked.has(String(token["sid"])) ? null : token
        },
      },
      events: {
        signOut: (message) => {
          if ("token" in message) revoked.add(String(message.token?.["sid"]))
        },
      },
    })
    const thief = await copyAfterSignOut(host)
    const answer = await get(thief, "/auth/session")
    expect([answer.text, answer.cookies.get(sessionCookie)?.value]).toEqual(["null", ""])
    expect(host.logger.errors).toEqual([])
    await host.browser.signIn("cred", right)
    expect((await host.browser.session())?.user?.name).toBe("V")
  })
})
