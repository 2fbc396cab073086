import { Auth, type AuthConfig } from "@latchkey/core"
import { answerDoctor, createProbe, type ProbeOptions, probeHeader, readProbeAnswer } from "@latchkey/core/doctor"
import type { AuthContext } from "@latchkey/core/types"
import { memoryAdapter, recordingLogger } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"

const origin = "https://app.example"
const secret = "only-for-the-tests-of-the-doctor-0"
const former = "only-for-the-tests-of-the-doctor-1"

function configOf(changes: Partial<AuthConfig> = {}): AuthConfig {
  const logger = recordingLogger()
  return { providers: [], secret: [secret, former], trustHost: true, basePath: "/auth", logger, ...changes }
}

const withDoctor = (changes: Partial<AuthConfig> = {}) => configOf({ doctor: answerDoctor(), ...changes })

const make = (changes: Partial<ProbeOptions> = {}, by = secret) =>
  createProbe(by, { origin, cookieKibibytes: 0, ...changes })

function requestWith(value: string | null, init: RequestInit = {}, path = "/auth/doctor"): Request {
  const headers = new Headers(init.headers)
  if (value !== null) headers.set(probeHeader, value)
  return new Request(`${origin}${path}`, { method: "POST", ...init, headers })
}

/** All that a client can see of an answer. */
async function seenOf(response: Response) {
  const headers = [...response.headers]
  return { status: response.status, headers, cookies: response.headers.getSetCookie(), body: await response.text() }
}

const send = async (request: Request, config: AuthConfig, context?: AuthContext) =>
  seenOf(await Auth(request, config, context))

afterEach(() => {
  vi.useRealTimers()
})

describe("answerDoctor()", () => {
  it("answers a probe with what arrived, sealed for the secret", async () => {
    const probe = await make()
    const headers = {
      cookie: "a=1; session=s3cret",
      host: "app.example",
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-proto": "https",
      authorization: "Bearer s3cret",
    }
    const {
      status,
      body,
      headers: sent,
    } = await send(requestWith(probe.value, { headers }), withDoctor(), {
      clientAddress: "10.0.0.1",
    })
    expect({ status, cache: new Headers(sent).get("cache-control") }).toEqual({
      status: 200,
      cache: "private, no-cache, no-store",
    })
    expect(body).not.toContain("10.0.0.1")
    const answer = await readProbeAnswer(body, secret, probe)
    expect(answer).toMatchObject({
      origin,
      headers: { host: "app.example", "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" },
      peer: "10.0.0.1",
      client: null,
      clientReason: "unnamed-proxy",
      cookies: { a: 1, session: 6 },
      adapter: [],
    })
    expect(JSON.stringify(answer)).not.toContain("s3cret")
  })

  it("tells the address that counts, where the limits are, and the methods of the adapter", async () => {
    const store = { consume: () => ({ used: 1, msLeft: 1 }), refund: () => {}, has: () => true, forget: () => {} }
    const cases = [
      { peer: "10.0.0.1", forwarded: "203.0.113.7", client: "203.0.113.7", limiter: "off" },
      { peer: "2001:db8::7", client: "2001:0db8:0000:0000:0000:0000:0000:0007", limiter: "memory", rateLimit: {} },
      { peer: "192.0.2.1", client: "192.0.2.1", limiter: "store", rateLimit: { store } },
    ] as const
    for (const { peer, client, limiter, ...given } of cases) {
      const probe = await make()
      const headers = "forwarded" in given ? { "x-forwarded-for": given.forwarded } : {}
      const rateLimit = "rateLimit" in given ? { rateLimit: given.rateLimit } : {}
      const config = withDoctor({ ...rateLimit, trustedProxies: ["10.0.0.0/8"], adapter: memoryAdapter() })
      const { body } = await send(requestWith(probe.value, { headers }), config, { clientAddress: peer })
      const answer = await readProbeAnswer(body, secret, probe)
      expect(answer).toMatchObject({ client, clientReason: null, limiter })
      expect(answer?.adapter).toContain("getUser")
    }
  })

  it("sends as many cookies as a probe asks for, up to 12 KiB, which expire at once", async () => {
    for (const [asked, least, most] of [
      [6, 6 * 1024, 10 * 1024],
      [12, 12 * 1000, 14 * 1024],
      [1000, 12 * 1000, 14 * 1024],
    ] as const) {
      const probe = await make({ cookieKibibytes: asked })
      const { cookies } = await send(requestWith(probe.value), withDoctor())
      const size = cookies.join("").length
      expect(size).toBeGreaterThan(least)
      expect(size).toBeLessThan(most)
      expect(cookies.every((cookie) => cookie.includes("Max-Age=0"))).toBe(true)
    }
  })

  it("accepts a probe of each of the secrets", async () => {
    const probe = await make({}, former)
    const { status } = await send(requestWith(probe.value), withDoctor())
    expect(status).toBe(200)
  })

  it("DOC-02: answers every other request like an unknown path, byte for byte", async () => {
    const [plain, config] = [configOf(), withDoctor()]
    const stale = (await make()).value
    const used = (await make()).value
    expect((await send(requestWith(used), config)).status).toBe(200)
    const valid = async () => (await make()).value
    const html = { headers: { accept: "text/html" } }
    const cases: readonly (readonly [name: string, request: () => Promise<Request> | Request])[] = [
      ["no probe", () => requestWith(null)],
      ["an empty probe", () => requestWith("")],
      ["junk", () => requestWith("junk")],
      ["a token of junk", () => requestWith("a.b.c.d.e")],
      [
        "a probe with another MAC",
        async () => requestWith((await valid()).replace(/.$/, (c) => (c === "0" ? "1" : "0"))),
      ],
      ["a probe that asks for more", async () => requestWith((await valid()).replace(".0.", ".9."))],
      ["a probe without a MAC", async () => requestWith((await valid()).replace(/[^.]+$/, ""))],
      ["a long header", () => requestWith("a".repeat(8_000))],
      ["a probe that was used", () => requestWith(used)],
      ["a probe of another secret", async () => requestWith((await make({}, "x".repeat(40))).value)],
      ["a probe for another site", async () => requestWith((await make({ origin: "https://other.example" })).value)],
      ["a probe for another scheme", async () => requestWith((await make({ origin: "http://app.example" })).value)],
      ["two probes", async () => requestWith(`${await valid()}, ${await valid()}`)],
      [
        "a browser's form",
        () => requestWith(null, { headers: { origin, cookie: "a=1" }, body: new URLSearchParams("a=1") }),
      ],
      ["malformed JSON", () => requestWith("junk", { headers: { "content-type": "application/json" }, body: "{" })],
      ["a large body", () => requestWith("junk", { body: "x".repeat(100_000) })],
      ["GET", async () => requestWith(await valid(), { method: "GET" })],
      ["GET of a page", async () => requestWith(await valid(), { method: "GET", ...html })],
      ["POST of a page", () => requestWith("junk", html)],
      ["HEAD", async () => requestWith(await valid(), { method: "HEAD" })],
      ["PUT", async () => requestWith(await valid(), { method: "PUT" })],
      ["a longer path", async () => requestWith(await valid(), {}, "/auth/doctor/x")],
      ["another case", async () => requestWith(await valid(), {}, "/auth/Doctor")],
      ["another base path", async () => requestWith(await valid(), {}, "/api/auth/doctor")],
    ]
    for (const [name, request] of cases) {
      const [given, copy] = await Promise.all([request(), request()])
      expect(await send(given, config), name).toEqual(await send(copy, plain))
    }
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] })
    expect(await send(requestWith(stale), config)).toEqual(await send(requestWith(null), plain))
  })

  it("DOC-02: answers 10,000 wrong probes like unknown paths, and asks the store nothing", async () => {
    const asked: string[] = []
    const get = (target: object, name: string) => {
      asked.push(name)
      return Reflect.get(target, name)
    }
    const adapter = new Proxy(memoryAdapter(), { get })
    const [plain, config] = [configOf(), withDoctor({ adapter })]
    const used = (await make()).value
    expect((await send(requestWith(used), config)).status).toBe(200)
    vi.useFakeTimers({ now: Date.now() - 61_000, toFake: ["Date"] })
    const stale = (await make()).value
    vi.useRealTimers()
    const values = [
      null,
      "junk",
      used,
      stale,
      (await make({}, "x".repeat(40))).value,
      (await make({ origin: "https://other.example" })).value,
      `${"-".repeat(24)}.00000000.0.${"0".repeat(64)}`,
    ]
    const expected = await send(requestWith(null, {}, "/auth/unknown"), plain)
    expect(expected.status).toBe(400)
    asked.length = 0
    for (let n = 0; n < 10_000; n++) {
      const headers = n % 2 === 0 ? {} : { cookie: "authjs.session-token=x; a=1", origin }
      const answer = await send(requestWith(values[n % values.length] ?? null, { headers }), config)
      if (n < 100 || answer.status !== 400) expect(answer).toEqual(expected)
      expect(answer.body).toBe(expected.body)
    }
    expect(asked).toEqual([])
  })

  it("DOC-02: answers a probe of a clock that is wrong, and keeps its mark until no one accepts it", async () => {
    const adapter = memoryAdapter()
    const kept: Date[] = []
    const consumeOnce = async (_id: string, expires: Date) => kept.push(expires) > 0
    const sendFrom = async (secondsOff: number) => {
      vi.useFakeTimers({ now: Date.now() + secondsOff * 1000, toFake: ["Date"] })
      const { value } = await make()
      vi.useRealTimers()
      return (await send(requestWith(value), withDoctor({ adapter: { ...adapter, consumeOnce } }))).status
    }
    expect([await sendFrom(40), await sendFrom(-40)]).toEqual([200, 200])
    expect([await sendFrom(700), await sendFrom(-61)]).toEqual([400, 400])
    expect(kept.map((date) => Math.round((date.getTime() - Date.now()) / 10_000))).toEqual([10, 2])
  })

  it("DOC-02: answers a probe once, in all processes with the same store", async () => {
    const adapter = memoryAdapter()
    const { value } = await make()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(requestWith(value), withDoctor({ adapter }))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it("DOC-02: logs what a request with a wrong probe did like one for an unknown path", async () => {
    const [logger, other] = [recordingLogger(), recordingLogger()]
    await send(requestWith("junk"), withDoctor({ logger }))
    await send(requestWith("junk"), configOf({ logger: other }))
    expect(logger.errors.map(({ message }) => message)).toEqual(other.errors.map(({ message }) => message))
    expect(logger.errors).toHaveLength(1)
  })

  it("DOC-02: answers no probe while the configuration is invalid", async () => {
    const { value } = await make()
    const mistake = { session: { maxAge: -1 } }
    expect(await send(requestWith(value), withDoctor(mistake))).toEqual(
      await send(requestWith(value), configOf(mistake)),
    )
  })

  it("DOC-04: keeps one mark in the store for a probe, for a minute", async () => {
    const adapter = memoryAdapter()
    const kept: Date[] = []
    const consumeOnce = async (_id: string, expires: Date) => kept.push(expires) > 0
    const before = Date.now()
    await send(requestWith((await make()).value), withDoctor({ adapter: { ...adapter, consumeOnce } }))
    expect(kept).toHaveLength(1)
    expect(kept[0]?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
    expect(kept[0]?.getTime()).toBeGreaterThanOrEqual(before + 60_000)
  })
})

describe("readProbeAnswer()", () => {
  it("reads the answer to the probe that was sent alone", async () => {
    const [probe, other] = [await make(), await make()]
    const { body } = await send(requestWith(probe.value), withDoctor())
    expect(await readProbeAnswer(body, secret, other)).toBeNull()
    expect(await readProbeAnswer(body, former, probe)).toBeNull()
    for (const text of ["", "null", "1", "<html>", '{"answer":1}'])
      expect(await readProbeAnswer(text, secret, probe)).toBeNull()
  })
})
