// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type FakeDevice, fakeDevice } from "../../test/fake-device.js"
import { type FakeService, fakeService, optionsFor } from "../../test/fake-service.js"
import { createAuthClient } from "../auth-client.js"
import { PasskeyError, signIn, signInWithAutofill } from "./index.js"

let device: FakeDevice
let service: FakeService
let assign: ReturnType<typeof vi.spyOn>

beforeEach(() => {
  device = fakeDevice()
  service = fakeService()
  location.href = "https://app.test/page"
  assign = vi.spyOn(location, "assign").mockImplementation(() => undefined)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "no error",
    (error: unknown) => (error instanceof PasskeyError ? error.code : error),
  )

async function answered<T>(attempt: Promise<T>): Promise<T> {
  ;(await device.next()).answer()
  return attempt
}

describe("signIn", () => {
  it("sends no request if the browser or an insecure page does not support passkeys", async () => {
    vi.stubGlobal("PublicKeyCredential", undefined)
    vi.stubGlobal("isSecureContext", true)
    expect(await codeOf(signIn("passkey"))).toBe("unsupported")
    vi.stubGlobal("isSecureContext", false)
    expect(await codeOf(signIn("passkey"))).toBe("insecure-page")
    expect(service.requests).toEqual([])
  })

  it.each([
    ["authenticate", new Response("", { status: 500 }), "unavailable"],
    ["authenticate", { error: "Invalid request" }, "unavailable"],
    ["authenticate", { url: "https://app.test/auth/error?error=Configuration" }, "unavailable"],
    ["authenticate", { action: "delete", options: { challenge: "eA" } }, "unavailable"],
    ["authenticate", { action: "authenticate", options: {} }, "unavailable"],
    ["authenticate", null, "unavailable"],
    ["register", Response.json({ error: "Invalid request" }, { status: 400 }), "registration-refused"],
    ["register", Response.json({ message: "Too many requests" }, { status: 429 }), "unavailable"],
  ] as const)("does not prompt if the response for options to %s is %j", async (action, answer, code) => {
    service = fakeService({ "/auth/webauthn-options/passkey": () => answer })
    expect(await codeOf(signIn("passkey", { action }))).toBe(code)
    expect(device.requests).toEqual([])
  })

  it("throws a network error before and after the prompt", async () => {
    const offline = (): never => {
      throw new TypeError("Failed to fetch")
    }
    fakeService({ "/auth/webauthn-options/passkey": offline })
    expect(await codeOf(signIn("passkey"))).toBe("network")
    for (const path of ["/auth/csrf", "/auth/callback/passkey"]) {
      fakeService({ [path]: offline })
      expect(await codeOf(answered(signIn("passkey")))).toBe("network")
    }
  })

  it.each([
    ["not JSON", new Response("gone", { status: 502 })],
    ["without a URL", {}],
    ["a javascript: URL", { url: "javascript:alert(1)" }],
    ["an invalid URL", { url: "http://" }],
  ])("does not navigate if the response is %s", async (_, answer) => {
    fakeService({ "/auth/callback/passkey": () => answer })
    expect(await codeOf(answered(signIn("passkey")))).toBe("unavailable")
    expect(assign).not.toHaveBeenCalled()
  })

  it("sends the fields of the contract and follows the redirect", async () => {
    await answered(
      signIn("passkey", { action: "authenticate", email: "ada@app.test", redirectTo: "/in" }, { hl: "de" }),
    )
    const [options, csrf, callback] = service.requests
    expect(options).toMatchObject({ method: "GET", query: { action: "authenticate", email: "ada@app.test" } })
    expect(csrf?.path).toBe("/auth/csrf")
    const { data = "", ...form } = callback?.form ?? {}
    expect(callback).toMatchObject({
      method: "POST",
      path: "/auth/callback/passkey",
      query: { hl: "de" },
      wantsUrl: true,
    })
    expect(form).toEqual({ action: "authenticate", csrfToken: "t0ken", callbackUrl: "/in", email: "ada@app.test" })
    expect(JSON.parse(data)).toMatchObject({ id: "aWQ", type: "public-key", response: { signature: "c2lnbmF0dXJl" } })
    expect(assign).toHaveBeenCalledExactlyOnceWith("https://app.test/in")
  })

  it("tells other users of the client about the new session, and about none after an error", async () => {
    const client = createAuthClient()
    const changes: unknown[] = []
    const stop = client.onSessionChange((change) => changes.push(change))
    await answered(client.signIn("passkey", { redirect: false }))
    expect(changes).toEqual([{ session: undefined }])
    fakeService({ "/auth/callback/passkey": () => ({ url: "/auth/error?error=AccessDenied" }) })
    await answered(client.signIn("passkey", { redirect: false }))
    expect(changes).toHaveLength(1)
    stop()
  })

  it("registers with a new credential", async () => {
    await answered(signIn("passkey", { action: "register", email: "ada@app.test" }))
    expect(device.requests.map(({ kind }) => kind)).toEqual(["create"])
    const form = service.requests.at(-1)?.form
    expect(form?.["action"]).toBe("register")
    expect(JSON.parse(form?.["data"] ?? "")).toMatchObject({ response: { transports: ["internal"] } })
  })

  it("lets the service decide between signing in and registering", async () => {
    service = fakeService({ "/auth/webauthn-options/passkey": () => optionsFor("register") })
    await answered(signIn("passkey", { email: "new@app.test" }))
    expect(service.requests[0]?.query).toEqual({ email: "new@app.test" })
    expect(service.requests.at(-1)?.form["action"]).toBe("register")
  })

  it("returns to the current page by default", async () => {
    await answered(signIn("passkey"))
    expect(service.requests.at(-1)?.form["callbackUrl"]).toBe("https://app.test/page")
    await answered(signIn("passkey", { callbackUrl: "/older-name" }))
    expect(service.requests.at(-1)?.form["callbackUrl"]).toBe("/older-name")
  })

  it("uses a given CSRF token and sends it only in the form", async () => {
    await answered(signIn("passkey", { csrfToken: "at-hand" }))
    expect(service.count("/auth/csrf")).toBe(0)
    expect(service.requests[0]?.query).toEqual({})
    expect(service.requests.at(-1)?.form["csrfToken"]).toBe("at-hand")
  })

  it("sends no CSRF token if the framework protects its forms itself", async () => {
    service = fakeService({ "/auth/csrf": () => new Response(null, { status: 404 }) })
    await answered(signIn("passkey"))
    expect(service.requests.at(-1)?.form).not.toHaveProperty("csrfToken")
  })

  it("reloads the page if the target differs only by its fragment", async () => {
    const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined)
    await answered(signIn("passkey", { redirectTo: "/page#part" }))
    expect(reload).toHaveBeenCalledOnce()
    await answered(signIn("passkey", { redirectTo: "/other#part" }))
    expect(reload).toHaveBeenCalledOnce()
  })

  it("navigates to the page that shows the service's error", async () => {
    fakeService({ "/auth/callback/passkey": () => ({ url: "https://app.test/auth/signin?error=AccountNotLinked" }) })
    expect(await answered(signIn("passkey"))).toBeUndefined()
    expect(assign).toHaveBeenCalledExactlyOnceWith("https://app.test/auth/signin?error=AccountNotLinked")
  })

  describe("with `redirect: false`", () => {
    it("returns the service's error and stays on the page", async () => {
      fakeService({
        "/auth/callback/passkey": () => ({ url: "https://app.test/auth/error?error=AccessDenied&code=x" }),
      })
      const response = await answered(signIn("passkey", { redirect: false }))
      expect(response).toEqual({ error: "AccessDenied", code: "x", status: 200, ok: true, url: null, next: null })
      expect(assign).not.toHaveBeenCalled()
    })

    it("returns the target URL and stays on the page", async () => {
      const response = await answered(signIn("passkey", { redirect: false, redirectTo: "/in" }))
      expect(response).toEqual({
        error: undefined,
        code: undefined,
        status: 200,
        ok: true,
        url: "https://app.test/in",
        next: null,
      })
      expect(assign).not.toHaveBeenCalled()
    })
  })

  it("is aborted by its signal before and during the prompt", async () => {
    expect(await codeOf(signIn("passkey", { signal: AbortSignal.abort() }))).toBe("aborted")
    expect(device.requests).toEqual([])
    const stop = new AbortController()
    const attempt = codeOf(signIn("passkey", { signal: stop.signal }))
    await device.next()
    stop.abort()
    expect(await attempt).toBe("aborted")
    expect(service.count("/auth/callback/passkey")).toBe(0)
  })
})

describe("createAuthClient", () => {
  it.each(["/api/auth", "/api/auth/", "https://app.test/api/auth"])(
    "finds a passkey provider of any id below %s",
    async (basePath) => {
      service = fakeService({
        "/api/auth/csrf": () => ({ csrfToken: "t0ken" }),
        "/api/auth/providers": () => ({ "a key": { type: "webauthn" } }),
        "/api/auth/webauthn-options/a%20key": () => optionsFor(),
        "/api/auth/callback/a%20key": () => ({ url: "/in" }),
      })
      await answered(createAuthClient({ basePath }).signIn("a key", { redirect: false }))
      expect(service.requests.map(({ path }) => path)).toEqual([
        "/api/auth/providers",
        "/api/auth/csrf",
        "/api/auth/webauthn-options/a%20key",
        "/api/auth/callback/a%20key",
      ])
    },
  )
})

describe("signInWithAutofill", () => {
  beforeEach(() => {
    document.body.innerHTML = '<input autocomplete="username webauthn" />'
  })

  it("sends no request if the browser does not support autofill", async () => {
    device = fakeDevice({ hasAutofill: false })
    expect(await codeOf(signInWithAutofill("passkey"))).toBe("unsupported")
    expect(service.requests).toEqual([])
  })

  it("waits in the page's fields and calls onAnswer when a passkey is chosen", async () => {
    const onAnswer = vi.fn()
    const attempt = signInWithAutofill("passkey", { redirect: false, onAnswer })
    const request = await device.next()
    expect([request.kind, request.mediation]).toEqual(["get", "conditional"])
    expect(service.requests.map(({ query }) => query)).toEqual([{ action: "authenticate" }])
    expect(onAnswer).not.toHaveBeenCalled()
    request.answer()
    expect((await attempt)?.url).toBe("https://app.test/page")
    expect(onAnswer).toHaveBeenCalledOnce()
  })

  it("replaces the options in time until the user responds", async () => {
    vi.useFakeTimers()
    const attempt = signInWithAutofill("passkey", { redirect: false })
    await device.next()
    await vi.advanceTimersByTimeAsync(239_000)
    expect(device.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2000)
    const second = await device.next()
    expect(service.count("/auth/webauthn-options/passkey")).toBe(2)
    second.answer()
    vi.useRealTimers()
    expect((await attempt)?.error).toBeUndefined()
    expect(service.count("/auth/callback/passkey")).toBe(1)
  })

  it("does not replace options at once whose timeout is longer than a timer can be", async () => {
    const timeout = 366 * 24 * 3_600_000
    const options = { challenge: "eHg", rpId: "app.test", timeout }
    service = fakeService({ "/auth/webauthn-options/passkey": () => ({ action: "authenticate", options }) })
    vi.useFakeTimers()
    const attempt = signInWithAutofill("passkey", { redirect: false })
    const request = await device.next()
    await vi.advanceTimersByTimeAsync(1000)
    expect(service.count("/auth/webauthn-options/passkey")).toBe(1)
    vi.useRealTimers()
    request.answer()
    expect((await attempt)?.error).toBeUndefined()
  })

  it("does not replace the options while the page is hidden", async () => {
    vi.useFakeTimers()
    const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden")
    const attempt = signInWithAutofill("passkey", { redirect: false })
    await device.next()
    await vi.advanceTimersByTimeAsync(1_000_000)
    expect(service.count("/auth/webauthn-options/passkey")).toBe(1)
    visibility.mockReturnValue("visible")
    document.dispatchEvent(new Event("visibilitychange"))
    vi.useRealTimers()
    ;(await device.next()).answer()
    expect((await attempt)?.url).toBe("https://app.test/page")
  })

  it("is aborted by its signal and sends no more requests", async () => {
    const stop = new AbortController()
    const attempt = codeOf(signInWithAutofill("passkey", { signal: stop.signal }))
    await device.next()
    stop.abort()
    expect(await attempt).toBe("aborted")
    expect(service.count("/auth/webauthn-options/passkey")).toBe(1)
  })

  it("is canceled by signIn and does not cancel it when its own options arrive late", async () => {
    let deliver = (_: unknown): void => undefined
    const late = new Promise((resolve) => {
      deliver = resolve
    })
    vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
      const { pathname, searchParams } = new URL(address, location.href)
      if (pathname.includes("webauthn-options") && !searchParams.has("email")) await late
      if (init.signal?.aborted) throw new DOMException("aborted", "AbortError")
      return Response.json(pathname.includes("webauthn-options") ? optionsFor() : { url: "/in", csrfToken: "t" })
    })
    const { signIn, signInWithAutofill } = createAuthClient()
    const waiting = codeOf(signInWithAutofill("passkey"))
    const attempt = signIn("passkey", { redirect: false, email: "ada@app.test" })
    const request = await device.next()
    deliver(undefined)
    expect(await waiting).toBe("aborted")
    request.answer()
    expect((await attempt).url).toBe("https://app.test/in")
    expect(device.requests).toHaveLength(1)
  })
})
