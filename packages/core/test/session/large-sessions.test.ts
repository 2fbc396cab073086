import { once } from "node:events"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { memoryAdapter, type TestHost, type TestHostOptions } from "@latchkey/testkit"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { chromeHeaders } from "../setup/node-server.js"
import { ask, get, post } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

/** A host with a token that contains a text of this length, behind servers that accept large headers. */
function openFat(size: { now: number }, options: TestHostOptions = {}): TestHost {
  return openHost({
    requestLimits: { sessionChunks: 20 },
    ...options,
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
  it("COOK-10: a session of nine KiB is split into cookies of at most 4096 bytes, names included", async () => {
    const host = openFat({ now: 9 * 1024 })
    const answer = await post(host.browser, "/auth/callback/cred", right)
    const pieces = [...answer.cookies].filter(([name]) => name.startsWith(sessionCookie))
    expect(pieces.map(([name]) => name)).toEqual([0, 1, 2, 3].map((n) => `${sessionCookie}.${n}`))
    for (const [name, { value }] of pieces) expect(name.length + value.length).toBeLessThanOrEqual(4096)
    expect([host.browser.cookies.refused, await host.browser.session()]).toMatchObject([[], { fat: 9 * 1024 }])
  })

  it("COOK-11: is read in numeric order, not in the order of the header", {
    timeout: 60_000,
  }, async () => {
    const host = openFat({ now: 32_000 })
    await host.browser.signIn("cred", right)
    const pairs = chunks(host).map((name) => `${name}=${host.browser.cookies.get(name)}`)
    expect(pairs).toHaveLength(11)
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(pairs, { minLength: pairs.length }), async (shuffled) => {
        const answer = await ask(host, "/auth/session", { cookie: shuffled.join("; ") })
        expect(answer.json()).toMatchObject({ fat: 32_000 })
      }),
      { numRuns: 30 },
    )
  })

  it("COOK-10: is split into cookies that browsers keep, and can be read", async () => {
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
    ["shrinks from three to one", 6000, 10, [sessionCookie]],
    ["grows", 10, 9000, [`${sessionCookie}.0`, `${sessionCookie}.1`, `${sessionCookie}.2`, `${sessionCookie}.3`]],
    ["shrinks a little", 9000, 5000, [`${sessionCookie}.0`, `${sessionCookie}.1`]],
  ])("COOK-12: a session that %s leaves no old chunk behind", async (_, before, after, names) => {
    const size = { now: before }
    const host = openFat(size)
    await host.browser.signIn("cred", right)
    size.now = after
    await host.browser.session()
    expect(await host.browser.session()).toMatchObject({ fat: after })
    expect(chunks(host)).toEqual(names)
  })

  it("COOK-12: clears chunks with the attributes they were set with when it shrinks", async () => {
    const size = { now: 9000 }
    const options = { domain: "app.test", path: "/", sameSite: "none", secure: true, partitioned: true } as const
    const host = openFat(size, { cookies: { sessionToken: { options } } })
    const set = await post(host.browser, "/auth/callback/cred", right)
    size.now = 10
    const answer = await get(host.browser, "/auth/session")
    for (const n of [0, 1, 2, 3]) {
      const lasting = set.cookies
        .get(`${sessionCookie}.${n}`)
        ?.attributes.filter((text) => !text.startsWith("Expires="))
      const gone = answer.cookies.get(`${sessionCookie}.${n}`)
      expect(lasting).toEqual(expect.arrayContaining(["Domain=app.test", "Partitioned", "Secure", "SameSite=None"]))
      expect([gone?.value, gone?.attributes]).toEqual(["", ["Max-Age=0", ...(lasting ?? [])]])
    }
    expect(chunks(host)).toEqual([sessionCookie])
  })

  it("is cleared completely at sign-out, with the attributes it was set with", async () => {
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

  it("is cleared completely when the session is invalid", async () => {
    const host = openFat({ now: 9000 })
    await host.browser.signIn("cred", right)
    host.browser.cookies.delete(`${sessionCookie}.3`)
    expect(await host.browser.session()).toBeNull()
    expect(chunks(host)).toEqual([])
  })

  it.each([
    ["JWTSessionError", 60_000],
    ["JWTSessionError", 100_000],
  ])(
    "COOK-10: of more than twenty chunks fails the sign-in with %s, instead of being dropped by browsers",
    async (type, size) => {
      const host = openFat({ now: size })
      const page = await host.browser.signIn("cred", right)
      expect([page.url.search, chunks(host)]).toEqual(["?error=Configuration", []])
      expect([host.logger.errorTypes(), host.events.names()]).toEqual([[type], []])
      expect(await host.browser.session()).toBeNull()
    },
  )
})

/** The status that Node's own server gives, with its default limit, to a request of Chrome with these cookies. */
async function statusFromNode(cookie: string, path: string): Promise<number> {
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // A TCP server.
  const asked = request({ port, host: "127.0.0.1", path, headers: { ...chromeHeaders, cookie } }).end()
  const [response] = await once(asked, "response")
  response.resume()
  server.close()
  return response.statusCode
}

const defaults = { requestLimits: {} }

describe("the sum of the service's cookies", () => {
  it("refuses a sign-in whose session a default server would answer with 431, and says what to do", async () => {
    const host = openFat({ now: 10_000 }, defaults)
    const page = await host.browser.signIn("cred", right)
    expect([page.url.search, chunks(host), host.events.names()]).toEqual(["?error=Configuration", [], []])
    const [error] = host.logger.errors
    expect(error).toMatchObject({ type: "JWTSessionError" })
    expect(error?.message).toMatch(/^The session has 1\d{4} characters, but its cookies may have 10240\. Put less/)
    expect(host.logger.warnings).not.toContain("large-session")
  })

  it.each([
    [5000, []],
    [7000, ["large-session"]],
  ])("warns once when a session is nearly too large: token of %d characters", async (now, warnings) => {
    const host = openFat({ now }, defaults)
    await host.browser.signIn("cred", right)
    await host.browser.session()
    expect(host.logger.warnings.filter((code) => code === "large-session")).toEqual(warnings)
  })

  it.each([
    [20_000, undefined, ["picture-left-out"]],
    [2000, "kept", []],
  ])("leaves out an inline picture only if it does not fit: %d characters", async (length, kept, warnings) => {
    const image = `data:image/jpeg;base64,${"A".repeat(length)}`
    const user = { id: "u-1", name: "Vera", email: "v@app.test", image }
    const host = openHost({ ...defaults, providers: [{ ...passwordProvider(), authorize: () => user }] })
    await host.browser.signIn("cred", right)
    for (let n = 0; n < 2; n++) {
      const session = await host.browser.session()
      expect(session?.user).toEqual({ name: "Vera", email: "v@app.test", ...(kept && { image }) })
    }
    expect(host.logger.warnings.filter((code) => code === "picture-left-out")).toEqual(warnings)
    expect(host.logger.errors).toEqual([])
  })

  it("does not leave out a picture that is a URL, however long", async () => {
    const image = `https://images.test/${"a".repeat(20_000)}`
    const user = { id: "u-1", email: "v@app.test", image }
    const host = openHost({ ...defaults, providers: [{ ...passwordProvider(), authorize: () => user }] })
    const page = await host.browser.signIn("cred", right)
    expect(page.url.search).toBe("?error=Configuration")
  })

  it("keeps a session that has become too large as it is, and logs why", async () => {
    const size = { now: 7000 }
    const host = openFat(size, defaults)
    await host.browser.signIn("cred", right)
    const before = chunks(host).map((name) => host.browser.cookies.get(name))
    for (size.now of [10_000, 100_000]) {
      expect(await host.browser.session()).toMatchObject({ fat: size.now })
      expect(chunks(host).map((name) => host.browser.cookies.get(name))).toEqual(before)
    }
    expect(host.logger.errorTypes()).toEqual(["JWTSessionError", "JWTSessionError"])
    size.now = 10
    expect(await host.browser.session()).toMatchObject({ fat: 10 })
    expect(chunks(host)).toEqual([sessionCookie])
  })

  it("refuses an update that makes the session too large, and changes nothing", async () => {
    const size = { now: 10 }
    const host = openFat(size, defaults)
    await host.browser.signIn("cred", right)
    for (size.now of [10_000, 100_000]) {
      const answer = await post(host.browser, "/auth/session", { data: "1" })
      expect([answer.status, answer.text, answer.cookies.size]).toEqual([400, "null", 0])
    }
    expect(host.logger.errorTypes()).toEqual(["JWTSessionError", "JWTSessionError"])
    size.now = 10
    expect(await host.browser.session()).toMatchObject({ fat: 10 })
  })

  it("ends no session of an earlier version that has more cookies", async () => {
    const size = { now: 12_000 }
    const secret = "a secret of at least thirty-two characters"
    const host = openFat(size, { secret, requestLimits: { sessionChunks: 20 } })
    await host.browser.signIn("cred", right)
    const cookie = chunks(host)
      .map((name) => `${name}=${host.browser.cookies.get(name)}`)
      .join("; ")
    const answer = await ask(openFat(size, { ...defaults, secret }), "/auth/session", { cookie })
    expect([answer.status, answer.json(), answer.cookies.size]).toMatchObject([200, { fat: 12_000 }, 0])
  })

  it("frees a browser whose session is larger than the headers that the service accepts", async () => {
    const host = openFat({ now: 10 }, { requestLimits: { headerBytes: 14_000 } })
    const names = [0, 1, 2, 3, 4].map((n) => `${sessionCookie}.${n}`)
    const cookie = names.map((name) => `${name}=${"x".repeat(3936)}`).join("; ")
    const answer = await ask(host, "/auth/session", { cookie })
    expect([answer.status, [...answer.cookies.keys()]]).toEqual([431, names])
    for (const [, { value, attributes }] of answer.cookies) {
      expect([value, attributes]).toEqual(["", expect.arrayContaining(["Max-Age=0"])])
    }
    const other = await ask(host, "/auth/session", { cookie: `${sessionCookie}=x; other=${"x".repeat(14_000)}` })
    expect([other.status, other.cookies.size]).toEqual([431, 0])
  })

  describe.each(["jwt", "database"] as const)("with %s sessions and 15 kB of planted session cookies", (strategy) => {
    const names = [0, 1, 2, 3].map((n) => `${sessionCookie}.${n}`)

    it.each(["signin", "session"])("clears them on GET /%s", async (path) => {
      const host = openHost({ session: { strategy }, adapter: memoryAdapter() })
      const { cookies } = await get(host.browser, "/auth/csrf")
      const csrf = [...cookies].map(([name, { value }]) => `${name}=${value}`)
      for (const known of [csrf, []]) {
        const cookie = [...known, ...names.map((name) => `${name}=${"x".repeat(3750)}`)].join("; ")
        const answer = await ask(host, `/auth/${path}`, { cookie })
        expect(answer.status).toBe(200)
        for (const name of names) expect(answer.cookies.get(name)?.attributes).toContain("Max-Age=0")
      }
    })

    it("clears them when a sign-in begins, and completes it", async () => {
      const host = openHost({ session: { strategy }, adapter: memoryAdapter() })
      for (const name of names) host.browser.cookies.set(name, "x".repeat(3500))
      expect(chunks(host)).toHaveLength(4)
      await host.browser.signIn("oidc")
      expect(await host.browser.session()).toMatchObject({ user: {} })
    })
  })

  it("keeps a valid session of an earlier version that exceeds the sum", async () => {
    const secret = "a secret of at least thirty-two characters"
    const size = { now: 11_000 }
    const host = openFat(size, { secret })
    await host.browser.signIn("cred", right)
    const cookie = chunks(host)
      .map((name) => `${name}=${host.browser.cookies.get(name)}`)
      .join("; ")
    expect(cookie.length).toBeGreaterThan(14 * 1024)
    const answer = await ask(openFat(size, { ...defaults, secret }), "/auth/signin", { cookie })
    expect([answer.status, [...answer.cookies.keys()].filter((name) => name.startsWith(sessionCookie))]).toEqual([
      200,
      [],
    ])
  })

  it("stays below what a default Node server accepts, whatever a visitor begins", { timeout: 30_000 }, async () => {
    const host = openHost({
      callbacks: { jwt: ({ token }) => ({ ...token, fat: "x".repeat(7000) }) },
    })
    const { browser } = host
    await browser.signIn("oidc")
    for (let n = 0; n < 7; n++) {
      await post(browser, "/auth/signin/oidc", { callbackUrl: `/${"p".repeat(n % 2 === 0 ? 3000 : 400)}` })
      const names = browser.cookies.names()
      const cookie = names.map((name) => `${name}=${browser.cookies.get(name)}`).join("; ")
      expect(cookie.length).toBeLessThanOrEqual(14 * 1024)
      const path = `/auth/callback/oidc?code=${"c".repeat(300)}&state=${"s".repeat(500)}`
      expect(await statusFromNode(cookie, path)).toBe(200)
      expect(cookie).toContain("authjs.state.")
    }
    expect(await browser.session()).toMatchObject({ user: {} })
    expect(await statusFromNode(`a=${"x".repeat(17_000)}`, "/")).toBe(431)
  })
})
