import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { customFetch } from "../types/basics.js"
import { createProviderFetch } from "./fetch.js"

function guard(answer: typeof fetch, advanced: { readonly allowInsecureRequests?: boolean } = {}): typeof fetch {
  return createProviderFetch({ advanced, [customFetch]: answer }, "token")
}

/** Responds with this many chunks of a kilobyte, and counts those that were read. */
function largeBody(kilobytes: number): { readonly body: ReadableStream<Uint8Array>; readonly sent: () => number } {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ < kilobytes) controller.enqueue(new Uint8Array(1024))
      else controller.close()
    },
  })
  return { body, sent: () => sent }
}

describe("the response size", () => {
  it("OAU-42: is limited without a Content-Length", async () => {
    const { body, sent } = largeBody(60 * 1024)
    const call = guard(async () => new Response(body))("https://idp.test/token")
    await expect(call).rejects.toMatchObject({ code: "too-large", endpoint: "token" })
    expect(sent()).toBeLessThan(1100)
  })

  it("OAU-42: is rejected unread with a Content-Length over the limit", async () => {
    const { body, sent } = largeBody(60 * 1024)
    const headers = { "content-length": String(60 * 1024 * 1024) }
    const call = guard(async () => new Response(body, { headers }))("https://idp.test/token")
    await expect(call).rejects.toMatchObject({ code: "too-large" })
    expect(sent()).toBeLessThan(3)
  })

  it("OAU-42: is limited if the body is not a Web stream", async () => {
    const answer = { status: 200, headers: new Headers(), body: {}, arrayBuffer: async () => new ArrayBuffer(2 ** 21) }
    // Like some packages that are used as customFetch.
    const call = guard(async () => answer as unknown as Response)("https://idp.test/token")
    await expect(call).rejects.toMatchObject({ code: "too-large" })
  })

  it("may reach the limit", async () => {
    const { body } = largeBody(1024)
    const response = await guard(async () => new Response(body))("https://idp.test/token")
    expect((await response.arrayBuffer()).byteLength).toBe(1024 * 1024)
  })

  it("may be zero", async () => {
    const response = await guard(async () => new Response(null, { status: 204 }))("https://idp.test/token")
    expect([response.status, await response.text()]).toEqual([204, ""])
  })
})

describe("the response time", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each<[string, () => Promise<Response>]>([
    ["never comes", () => new Promise(() => undefined)],
    ["never ends", async () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))],
    [
      "trickles",
      async () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              await new Promise((resolve) => setTimeout(resolve, 1000))
              controller.enqueue(new Uint8Array(1))
            },
          }),
        ),
    ],
  ])("OAU-43: is limited when the response %s", async (_, answer) => {
    const signals: AbortSignal[] = []
    const call = guard((_input, init) => {
      if (init?.signal) signals.push(init.signal)
      return answer()
    })("https://idp.test/token")
    const refused = expect(call).rejects.toMatchObject({ code: "timed-out", endpoint: "token" })
    await vi.advanceTimersByTimeAsync(10_000)
    await refused
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it("leaves no timer running", async () => {
    await guard(async () => Response.json({}))("https://idp.test/token")
    expect(vi.getTimerCount()).toBe(0)
  })

  it("ends early when the caller aborts", async () => {
    const caller = new AbortController()
    const call = guard((_input, init) => {
      return new Promise((_resolve, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      )
    })("https://idp.test/token", { signal: caller.signal })
    const refused = expect(call).rejects.toMatchObject({ code: "unreachable" })
    caller.abort()
    await refused
  })
})

describe("a redirect", () => {
  it.each([301, 302, 303, 304, 307, 308])("OAU-44: is not followed with status %d", async (status) => {
    const asked: unknown[] = []
    const call = guard(async (input, init) => {
      asked.push(String(input), init?.redirect)
      return new Response(null, { status, headers: { location: "http://169.254.169.254/" } })
    })("https://idp.test/token")
    await expect(call).rejects.toMatchObject({ code: "redirected", status })
    expect(asked).toEqual(["https://idp.test/token", "manual"])
  })

  it("OAU-44: is rejected when the runtime hides it, or a custom fetch followed it", async () => {
    for (const seen of [
      { status: 0, redirected: false },
      { status: 200, redirected: true },
    ]) {
      const answer = { ...seen, body: null, headers: new Headers() }
      // No constructor creates such a response.
      const call = guard(async () => answer as unknown as Response)("https://idp.test/token")
      await expect(call).rejects.toMatchObject({ code: "redirected" })
    }
  })
})

describe("a URL", () => {
  it.each([
    "http://idp.test/",
    "http://10.0.0.1/",
    "http://127.0.0.1.evil.test/",
    "file:///etc/passwd",
    "data:,x",
    "nothing",
  ])("OAU-46: is rejected unless it is https: %s", async (url) => {
    const answer = vi.fn<typeof fetch>()
    await expect(guard(answer)(url)).rejects.toMatchObject({ code: "address-refused" })
    expect(answer).not.toHaveBeenCalled()
  })

  it.each([
    "http://localhost:8080/",
    "http://127.0.0.1:1/",
    "http://127.9.9.9/",
    "http://[::1]:5/",
    "https://10.0.0.1/",
  ])("may be %s", async (url) => {
    expect((await guard(async () => Response.json({}))(url)).ok).toBe(true)
  })

  it("may be plain http, but no other protocol, if the app allowed it", async () => {
    const insecure = guard(async () => Response.json({}), { allowInsecureRequests: true })
    expect((await insecure("http://idp.test/")).ok).toBe(true)
    await expect(insecure("file:///etc/passwd")).rejects.toMatchObject({ code: "address-refused" })
  })
})

describe("a request", () => {
  it("has a user agent and accepts JSON, unless the caller sets other headers", async () => {
    const seen: (string | null)[] = []
    const call = guard(async (_input, init) => {
      const headers = new Headers(init?.headers)
      seen.push(headers.get("user-agent"), headers.get("accept"), headers.get("x-own"))
      return Response.json({})
    })
    await call("https://idp.test/", { headers: { "x-own": "1" } })
    await call(new Request("https://idp.test/", { headers: { "x-own": "2", accept: "text/plain" } }))
    expect(seen).toEqual(["latchkey", "application/json", "1", "latchkey", "text/plain", "2"])
  })

  it("reports the system's error code when it fails, but no message", async () => {
    const refused = new TypeError("fetch failed", {
      cause: Object.assign(new Error("secret"), { code: "ECONNREFUSED" }),
    })
    await expect(guard(() => Promise.reject(refused))("https://idp.test/")).rejects.toThrow(
      /^The token endpoint cannot be reached \(ECONNREFUSED\)$/,
    )
    await expect(guard(() => Promise.reject(new RangeError("secret")))("https://idp.test/")).rejects.toThrow(
      /^The token endpoint cannot be reached \(RangeError\)$/,
    )
    await expect(guard(() => Promise.reject("secret"))("https://idp.test/")).rejects.toThrow(/reached$/)
  })
})
