import type { TestHost, TestHostOptions } from "@latchkey/testkit"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openHost } from "./hosts.js"
import { ask, get, post } from "./requests.js"
import { passwordProvider, sessionCookie } from "./sign-ins.js"

/** A host with a token that contains a text of this length. */
function openFat(size: { now: number }, options: TestHostOptions = {}): TestHost {
  return openHost({
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
  it("COOK-10: of nine KiB is split into cookies of at most 4096 bytes, names included", async () => {
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
  ])("COOK-12: and %s leaves no old chunk behind", async (_, before, after, names) => {
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
    ["CallbackRouteError", 100_000],
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
