// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type FakeDevice, fakeDevice } from "../../test/fake-device.js"
import { type FakeService, fakeService, offerFor } from "../../test/fake-service.js"
import { PasskeyError } from "./passkey-error.js"
import { signIn, signInWithAutofill } from "./sign-in.js"
import { webAuthnClient } from "./webauthn-client.js"

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
  it("asks nothing where there are no passkeys, and tells a page without https from a browser without passkeys", async () => {
    vi.stubGlobal("PublicKeyCredential", undefined)
    vi.stubGlobal("isSecureContext", true)
    expect(await codeOf(signIn("passkey"))).toBe("unsupported")
    vi.stubGlobal("isSecureContext", false)
    expect(await codeOf(signIn("passkey"))).toBe("insecure-page")
    expect(service.asked).toEqual([])
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
  ] as const)("does not ask the device when the options to %s are %j", async (action, answer, code) => {
    service = fakeService({ "/auth/webauthn-options/passkey": () => answer })
    expect(await codeOf(signIn("passkey", { action }))).toBe(code)
    expect(device.asked).toEqual([])
  })

  it("tells when the service cannot be reached, before and after the device was asked", async () => {
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
    ["text", new Response("gone", { status: 502 })],
    ["no address", {}],
    ["an address that is a script", { url: "javascript:alert(1)" }],
    ["an address that is none", { url: "http://" }],
  ])("goes nowhere when the answer is %s", async (_, answer) => {
    fakeService({ "/auth/callback/passkey": () => answer })
    expect(await codeOf(answered(signIn("passkey")))).toBe("unavailable")
    expect(assign).not.toHaveBeenCalled()
  })

  it("sends what the contract names, and goes where the service says", async () => {
    await answered(
      signIn("passkey", { action: "authenticate", email: "ada@app.test", redirectTo: "/in" }, { hl: "de" }),
    )
    const [options, csrf, callback] = service.asked
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

  it("registers with a new credential", async () => {
    await answered(signIn("passkey", { action: "register", email: "ada@app.test" }))
    expect(device.asked.map(({ kind }) => kind)).toEqual(["create"])
    const form = service.asked.at(-1)?.form
    expect(form?.["action"]).toBe("register")
    expect(JSON.parse(form?.["data"] ?? "")).toMatchObject({ response: { transports: ["internal"] } })
  })

  it("does what the service decides when it is not told what to do", async () => {
    service = fakeService({ "/auth/webauthn-options/passkey": () => offerFor("register") })
    await answered(signIn("passkey", { email: "new@app.test" }))
    expect(service.asked[0]?.query).toEqual({ email: "new@app.test" })
    expect(service.asked.at(-1)?.form["action"]).toBe("register")
  })

  it("comes back to the page that is open unless it is told where to go", async () => {
    await answered(signIn("passkey"))
    expect(service.asked.at(-1)?.form["callbackUrl"]).toBe("https://app.test/page")
    await answered(signIn("passkey", { callbackUrl: "/older-name" }))
    expect(service.asked.at(-1)?.form["callbackUrl"]).toBe("/older-name")
  })

  it("takes a token that is at hand, and sends it nowhere but in the form", async () => {
    await answered(signIn("passkey", { csrfToken: "at-hand" }))
    expect(service.count("/auth/csrf")).toBe(0)
    expect(service.asked[0]?.query).toEqual({})
    expect(service.asked.at(-1)?.form["csrfToken"]).toBe("at-hand")
  })

  it("sends no token where the framework protects its forms itself", async () => {
    service = fakeService({ "/auth/csrf": () => new Response(null, { status: 404 }) })
    await answered(signIn("passkey"))
    expect(service.asked.at(-1)?.form).not.toHaveProperty("csrfToken")
  })

  it("loads a page anew that differs only in its fragment", async () => {
    const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined)
    await answered(signIn("passkey", { redirectTo: "/page#part" }))
    expect(reload).toHaveBeenCalledOnce()
    await answered(signIn("passkey", { redirectTo: "/other#part" }))
    expect(reload).toHaveBeenCalledOnce()
  })

  it("goes to the page that shows the service's error", async () => {
    fakeService({ "/auth/callback/passkey": () => ({ url: "https://app.test/auth/signin?error=AccountNotLinked" }) })
    expect(await answered(signIn("passkey"))).toBeUndefined()
    expect(assign).toHaveBeenCalledExactlyOnceWith("https://app.test/auth/signin?error=AccountNotLinked")
  })

  describe("with `redirect: false`", () => {
    it("returns the service's error and stays", async () => {
      fakeService({
        "/auth/callback/passkey": () => ({ url: "https://app.test/auth/error?error=AccessDenied&code=x" }),
      })
      const response = await answered(signIn("passkey", { redirect: false }))
      expect(response).toEqual({ error: "AccessDenied", code: "x", status: 200, ok: true, url: null })
      expect(assign).not.toHaveBeenCalled()
    })

    it("returns where to go and stays", async () => {
      const response = await answered(signIn("passkey", { redirect: false, redirectTo: "/in" }))
      expect(response).toEqual({ error: undefined, code: undefined, status: 200, ok: true, url: "https://app.test/in" })
      expect(assign).not.toHaveBeenCalled()
    })
  })

  it("stops at its signal, before and while the device is asked", async () => {
    expect(await codeOf(signIn("passkey", { signal: AbortSignal.abort() }))).toBe("aborted")
    expect(device.asked).toEqual([])
    const stop = new AbortController()
    const attempt = codeOf(signIn("passkey", { signal: stop.signal }))
    await device.next()
    stop.abort()
    expect(await attempt).toBe("aborted")
    expect(service.count("/auth/callback/passkey")).toBe(0)
  })
})

describe("webAuthnClient", () => {
  it.each(["/api/auth", "/api/auth/", "https://app.test/api/auth"])("asks below %s", async (basePath) => {
    service = fakeService({
      "/api/auth/csrf": () => ({ csrfToken: "t0ken" }),
      "/api/auth/webauthn-options/a%20key": () => offerFor(),
      "/api/auth/callback/a%20key": () => ({ url: "/in" }),
    })
    await answered(webAuthnClient({ basePath }).signIn("a key", { redirect: false }))
    expect(service.asked.map(({ path }) => path)).toEqual([
      "/api/auth/webauthn-options/a%20key",
      "/api/auth/csrf",
      "/api/auth/callback/a%20key",
    ])
  })
})

describe("signInWithAutofill", () => {
  beforeEach(() => {
    document.body.innerHTML = '<input autocomplete="username webauthn" />'
  })

  it("asks nothing where the browser has no such autofill", async () => {
    device = fakeDevice({ hasAutofill: false })
    expect(await codeOf(signInWithAutofill("passkey"))).toBe("unsupported")
    expect(service.asked).toEqual([])
  })

  it("waits in the fields of the page, and says when a passkey was chosen", async () => {
    const onAnswer = vi.fn()
    const attempt = signInWithAutofill("passkey", { redirect: false, onAnswer })
    const request = await device.next()
    expect([request.kind, request.mediation]).toEqual(["get", "conditional"])
    expect(service.asked.map(({ query }) => query)).toEqual([{ action: "authenticate" }])
    expect(onAnswer).not.toHaveBeenCalled()
    request.answer()
    expect((await attempt)?.url).toBe("https://app.test/page")
    expect(onAnswer).toHaveBeenCalledOnce()
  })

  it("takes new options in time, as long as nobody answers", async () => {
    vi.useFakeTimers()
    const attempt = signInWithAutofill("passkey", { redirect: false })
    await device.next()
    await vi.advanceTimersByTimeAsync(239_000)
    expect(device.asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2000)
    const second = await device.next()
    expect(service.count("/auth/webauthn-options/passkey")).toBe(2)
    second.answer()
    vi.useRealTimers()
    expect((await attempt)?.error).toBeUndefined()
    expect(service.count("/auth/callback/passkey")).toBe(1)
  })

  it("takes no new options while nobody sees the page", async () => {
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

  it("stops at its signal and asks for nothing more", async () => {
    const stop = new AbortController()
    const attempt = codeOf(signInWithAutofill("passkey", { signal: stop.signal }))
    await device.next()
    stop.abort()
    expect(await attempt).toBe("aborted")
    expect(service.count("/auth/webauthn-options/passkey")).toBe(1)
  })

  it("gives way to a request, and does not end it when its own options come late", async () => {
    let deliver = (_: unknown): void => undefined
    const late = new Promise((resolve) => {
      deliver = resolve
    })
    vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
      const { pathname, searchParams } = new URL(address, location.href)
      if (pathname.includes("webauthn-options") && !searchParams.has("email")) await late
      if (init.signal?.aborted) throw new DOMException("ended", "AbortError")
      return Response.json(pathname.includes("webauthn-options") ? offerFor() : { url: "/in", csrfToken: "t" })
    })
    const { signIn, signInWithAutofill } = webAuthnClient()
    const waiting = codeOf(signInWithAutofill("passkey"))
    const attempt = signIn("passkey", { redirect: false, email: "ada@app.test" })
    const request = await device.next()
    deliver(undefined)
    expect(await waiting).toBe("aborted")
    request.answer()
    expect((await attempt).url).toBe("https://app.test/in")
    expect(device.asked).toHaveLength(1)
  })
})
