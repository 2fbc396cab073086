import { describe, expect, it } from "vitest"
import { recordingEvents, recordingHandler, recordingLogger } from "./recorders.js"

describe("recordingLogger", () => {
  it("keeps what it is told and passes it on", () => {
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

  it("shows causes, metadata and circles in its texts", () => {
    const logger = recordingLogger()
    const inner: Error & { response?: unknown } = new Error("inner")
    inner.response = { headers: new Headers({ "x-deep": "hidden" }), self: inner }
    logger.error(new Error("outer", { cause: { err: inner } }))
    expect(logger.texts().join()).toMatch(/outer.*inner.*x-deep.*hidden/s)
  })
})

describe("recordingEvents", () => {
  it("keeps the order, and passes what the host's handler throws on", async () => {
    const events = recordingEvents({ signOut: () => Promise.reject(new Error("audit log is full")) })
    await events.handlers.createUser({ user: { id: "1" } })
    await expect(events.handlers.signOut({ token: null })).rejects.toThrow("audit log")
    expect(events.names()).toEqual(["createUser", "signOut"])
    expect(events.of("createUser")).toEqual([{ user: { id: "1" } }])
  })
})

describe("recordingHandler", () => {
  it("keeps a copy and leaves the answer whole", async () => {
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
