import { describe, expect, it } from "vitest"
import { recordingEvents, recordingHandler, recordingLogger } from "./recorders.js"

describe("recordingLogger", () => {
  it("records its calls and passes them on", () => {
    const passed: unknown[] = []
    const logger = recordingLogger({ error: (error) => passed.push(error) })
    const error = Object.assign(new Error("no"), { type: "AccessDenied" })
    logger.error(error)
    logger.warn("short-secret")
    logger.debug("begin", { provider: "oidc" })
    expect(logger.errorTypes()).toEqual(["AccessDenied"])
    expect([logger.warnings, logger.debugs]).toEqual([
      ["short-secret"],
      [{ message: "begin", metadata: { provider: "oidc" } }],
    ])
    expect(passed).toEqual([error])
  })

  it("includes causes and metadata in its texts, and survives circular references", () => {
    const logger = recordingLogger()
    const inner: Error & { response?: unknown } = new Error("inner")
    inner.response = { headers: new Headers({ "x-deep": "hidden" }), self: inner }
    logger.error(new Error("outer", { cause: { err: inner } }))
    expect(logger.texts().join()).toMatch(/outer.*inner.*x-deep.*hidden/s)
  })

  it("describes getters that throw and revoked proxies", () => {
    const logger = recordingLogger()
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const response = {
      get body() {
        throw new TypeError("body is locked")
      },
      get url() {
        throw Object.create(null)
      },
      status: 502,
    }
    logger.error(new Error("outer", { cause: { response, proxy } }))
    const text = logger.texts().join()
    expect(text).toContain("body\n[getter threw: body is locked]")
    expect(text).toContain("url\n[getter threw: object]")
    expect(text).toContain("status\n502")
    expect(text).toMatch(/proxy\nunreadable\n.*revoked/)
  })
})

describe("recordingEvents", () => {
  it("records events in order, and rethrows errors of the next handler", async () => {
    const events = recordingEvents({ signOut: () => Promise.reject(new Error("audit log is full")) })
    await events.handlers.createUser({ user: { id: "1" } })
    await expect(events.handlers.signOut({ token: null })).rejects.toThrow("audit log")
    expect(events.names()).toEqual(["createUser", "signOut"])
    expect(events.of("createUser")).toEqual([{ user: { id: "1" } }])
  })
})

describe("recordingHandler", () => {
  it("records a copy of the response", async () => {
    const headers = new Headers([
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["x-own", "yes"],
    ])
    const { handler, answers } = recordingHandler(() => new Response("body", { headers }))
    expect(await (await handler(new Request("https://app.test/x"))).text()).toBe("body")
    expect(answers).toMatchObject([{ url: "https://app.test/x", status: 200, cookies: ["a=1", "b=2"], body: "body" }])
    expect(answers[0]?.headers).not.toHaveProperty("set-cookie")
  })
})
