import { Auth, type AuthConfig } from "@latchkey/core"
import { encode } from "@latchkey/core/jwt"
import { integrationConfig, listen, toWebListener } from "@latchkey/testkit/integration"
import { describe, expect, it, onTestFinished } from "vitest"
import { compareAnswers, type Probe } from "../../src/compare/differences.js"
import { runHere } from "../command.js"

const cookieName = "authjs.session-token"

interface Seen {
  readonly method: string
  readonly path: string
  readonly cookie: string | null
  readonly body: string
}

/** A running service, and what it was asked. */
async function start(
  changes: Partial<AuthConfig> = {},
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const config = { ...integrationConfig(), basePath: "/auth", ...changes }
  const { raw: _, ...options } = config as AuthConfig // as: only direct callers of `Auth` set `raw`.
  const seen: Seen[] = []
  const server = await listen(
    toWebListener(async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = await request.clone().text()
      seen.push({ method: request.method, path: pathname + search, cookie: request.headers.get("cookie"), body })
      return await Auth(request, options)
    }),
  )
  onTestFinished(() => server.close())
  return { url: `${server.origin}/auth`, seen }
}

const compare = (old: string, now: string, ...args: readonly string[]) =>
  runHere(["compare", "--old", old, "--new", now, ...args], { folder: "/" })

describe("latchkey compare", () => {
  it("finds nothing between two services with the same options", async () => {
    const [old, now] = [await start(), await start()]
    const { code, output } = await compare(old.url, now.url)
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^No differences to look at, and 0 that .* in \d+ requests\.\n$/),
    ])
  })

  it("shows where status, location, cookies and the session differ", async () => {
    const old = await start()
    const now = await start({
      pages: { signIn: "/login" },
      cookies: { csrfToken: { name: "own.csrf", options: { sameSite: "strict" } } },
      callbacks: { session: ({ session }) => ({ ...session, role: "admin" }) },
    })
    const token = await encode({
      token: { sub: "1", name: "Ada" },
      secret: String(integrationConfig().secret),
      salt: cookieName,
    })
    const { code, output } = await compare(old.url, now.url, "--cookie", `${cookieName}=${token}`, "--json")
    const { differences } = JSON.parse(output)
    const found = (request: string, part: string) =>
      differences.find((each: { request: string; part: string }) => each.request === request && each.part === part)
    expect(code).toBe(1)
    expect(found("GET /signin", "location")).toMatchObject({ new: expect.stringContaining("/login"), known: null })
    expect(found("GET /csrf", "cookie own.csrf")).toMatchObject({
      old: "none",
      new: expect.stringContaining("samesite=strict"),
    })
    expect(found("GET /session (signed in)", "body $.role")).toMatchObject({ old: "none", new: "string" })
    expect(output).not.toContain(token)
    expect(output).not.toContain("Ada")
  })

  it("MIG-21: reads no more than 1 MiB of an answer that does not end", async () => {
    const old = await start()
    const state = { sent: 0, ended: 0 }
    const part = " ".repeat(65_536)
    const server = await listen(({ method }, response) => {
      response.setHeader("content-type", "application/json")
      const write = (): unknown => {
        state.sent += part.length
        if (response.destroyed) return undefined
        return response.write(part) ? setImmediate(write) : response.once("drain", write)
      }
      response.once("close", () => {
        state.ended += 1
      })
      if (method === "GET") write()
      else response.end()
    })
    onTestFinished(() => server.close())
    const { code, output } = await compare(old.url, `${server.origin}/auth`, "--json")
    expect([code, output]).toEqual([1, expect.stringContaining("GET /session")])
    const count = JSON.parse(output).requests
    expect(state.ended).toBeGreaterThan(0)
    // What the sockets hold besides.
    expect(state.sent).toBeLessThan(count * 16 * 1024 * 1024)
  })

  it("MIG-21: sends no credentials, and forms without a token and without the cookie", async () => {
    const [old, now] = [await start(), await start()]
    const cookie = `${cookieName}=not-valid`
    await compare(old.url, now.url, "--cookie", cookie)
    const posts = [...old.seen, ...now.seen].filter(({ method }) => method === "POST")
    expect(posts.length).toBeGreaterThan(0)
    for (const post of posts) expect(post).toMatchObject({ cookie: null, body: "" })
    const sent = old.seen.filter((each) => each.cookie !== null)
    expect(sent.length).toBeGreaterThan(0)
    for (const each of sent) expect(each).toMatchObject({ method: "GET", cookie })
  })

  it.each([
    ["--cookie", "a=b"],
    ["--cookie", "a=b\r\nx: y"],
    ["--cookie", "-"],
  ])(
    "MIG-21: sends no cookie over plain http to another machine, and none that is no header: %s %j",
    async (...args) => {
      const { code, errors } = await compare("http://old.test/auth", "https://new.test/auth", ...args)
      expect([code, errors]).toEqual([2, expect.stringContaining("--cookie")])
    },
  )

  it("reads the cookie from the standard input", async () => {
    const [old, now] = [await start(), await start()]
    async function* input() {
      yield Buffer.from(`Cookie: ${cookieName}=a\n`)
    }
    const args = ["compare", "--old", old.url, "--new", now.url, "--cookie", "-"]
    expect((await runHere(args, { folder: "/", input: input() })).code).toBe(0)
    expect(old.seen.some(({ cookie }) => cookie === `${cookieName}=a`)).toBe(true)
  })

  it("refuses addresses that are none, and says which service does not answer", async () => {
    const { url } = await start()
    expect((await compare("a", url)).code).toBe(2)
    const secret = await compare("https://ada:secret@old.test", url)
    expect([secret.code, secret.errors]).toEqual([2, expect.not.stringContaining("secret@")])
    expect((await compare(url, "http://127.0.0.1:9/auth")).errors).toContain("http://127.0.0.1:9 did not answer")
  })
})

describe("compareAnswers", () => {
  const answer = (status: number, headers: [string, string][] = [], json?: unknown) => ({
    base: new URL("https://app.test/auth"),
    answer: { status, headers: new Headers(headers), json },
  })
  const get = (path: string, method: Probe["method"] = "GET"): Probe => ({ method, path, isSignedIn: false })

  it("ignores random values, flows, chunks and the places of the services", () => {
    const location = (base: string, state: string) => `${base}/signin?error=A&state=${state}&callbackUrl=${base}`
    const old = answer(302, [
      ["location", location("https://app.test/auth", "1")],
      ["set-cookie", "a.0=b; Path=/; Max-Age=5; HttpOnly"],
    ])
    const now = {
      ...answer(302, [
        ["location", location("http://localhost:3000/api/auth", "2")],
        ["set-cookie", "a.1=c; HttpOnly; Path=/; Max-Age=6"],
      ]),
      base: new URL("http://localhost:3000/api/auth"),
    }
    expect(compareAnswers(get("/a"), old, now)).toEqual([])
  })

  it.each([
    ["/session", "GET", [["set-cookie", "authjs.csrf-token=a; Path=/"]], [], 200, 200],
    ["/signin", "GET", [["set-cookie", "__Secure-next-auth.callback-url=a"]], [], 200, 200],
    ["/signin", "GET", [], [["set-cookie", "__Host-authjs.browser=a; Secure"]], 200, 200],
    ["/signin", "HEAD", [], [["content-type", "text/html"]], 400, 200],
    ["/latchkey-compare", "GET", [["content-type", "application/json"]], [["content-type", "text/html"]], 400, 404],
    ["/session", "GET", [["cache-control", "public"]], [["cache-control", "private, no-store"]], 200, 200],
  ] as const)("knows the differences of the guide: %s %s", (...[path, method, before, after, ...statuses]) => {
    const pairs = (list: readonly (readonly [string, string])[]): [string, string][] =>
      list.map(([name, value]) => [name, value])
    const found = compareAnswers(
      get(path, method),
      answer(statuses[0], pairs(before)),
      answer(statuses[1], pairs(after)),
    )
    expect(found.length).toBeGreaterThan(0)
    for (const { known } of found) expect(known).toEqual(expect.any(String))
  })

  it("shows other differences", () => {
    const found = compareAnswers(get("/session"), answer(200, [], { a: { b: 1 } }), answer(500, [], { a: { b: "1" } }))
    expect(found.map(({ part, old, new: now, known }) => [part, old, now, known])).toEqual([
      ["body $.a.b", "number", "string", null],
      ["status", "200", "500", null],
    ])
  })
})
