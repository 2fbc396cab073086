import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { AccessDenied } from "../errors/errors.js"
import type { LoggerInstance } from "../types/logger.js"
import { createLog } from "./log.js"

const spies = () => ({
  error: vi.spyOn(console, "error").mockImplementation(() => {}),
  warn: vi.spyOn(console, "warn").mockImplementation(() => {}),
  log: vi.spyOn(console, "log").mockImplementation(() => {}),
})
let out: ReturnType<typeof spies>

beforeEach(() => {
  out = spies()
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe("the console log", () => {
  it("LOG-04: writes each message on one line", () => {
    createLog(undefined, { isDebug: true }).error(new AuthError("x\n[auth] fake line"))
    createLog(undefined, { isDebug: true }).debug("y\n[auth] fake line")
    expect(out.error.mock.calls[0]?.[0]).toMatch(
      /^\[auth\]\[error\] AuthError: x\\u000a\[auth\] fake line \(reference /,
    )
    expect(out.log.mock.calls[0]?.[0]).toBe("[auth][debug]: y\\u000a[auth] fake line")
  })

  it("writes the type, message, reference and causes of an error", () => {
    const error = new AccessDenied("refused", { err: new TypeError("down"), provider: "github" })
    createLog(undefined).error(error)
    const [first, ...causes] = out.error.mock.calls.flat()
    expect(first).toBe(`[auth][error] AccessDenied: refused (reference ${error.reference})`)
    expect(causes.join("\n")).toMatch(/provider: github\n.*TypeError: down\n +at /)
  })

  it("writes no reference for an error that is not an AuthError", () => {
    createLog(undefined).error(new TypeError("x"))
    expect(out.error.mock.calls).toEqual([["[auth][error] TypeError: x"]])
  })

  it("writes the code of a warning", async () => {
    createLog(undefined).warn("csrf-disabled")
    await vi.waitFor(() =>
      expect(out.warn.mock.calls).toEqual([[expect.stringMatching(/^\[auth\]\[warn\]\[csrf-disabled\] The option/)]]),
    )
  })

  it("writes debug messages only if debug is on", () => {
    const describeNothing = vi.fn()
    createLog(undefined).debug("x", describeNothing)
    expect([out.log, describeNothing].map((spy) => spy.mock.calls)).toEqual([[], []])
    createLog(undefined, { isDebug: true }).debug("x", () => ({ a: 1 }))
    expect(out.log.mock.calls).toEqual([["[auth][debug]: x", { a: 1 }]])
  })
})

describe("a custom logger", () => {
  it.each(["error", "warn", "debug"] as const)("can replace %s only", async (name) => {
    const own = vi.fn()
    const log = createLog({ [name]: own }, { isDebug: true })
    const error = new Error("x")
    log.error(error)
    log.warn("csrf-disabled")
    log.debug("m", () => ({ a: 1 }))
    const calls = { error: [error], warn: ["csrf-disabled"], debug: ["m", { a: 1 }] }
    expect(own.mock.calls).toEqual([calls[name]])
    const replaced = { error: out.error, warn: out.warn, debug: out.log }
    for (const [key, spy] of Object.entries(replaced))
      await vi.waitFor(() => expect(spy).toHaveBeenCalledTimes(key === name ? 0 : 1))
  })

  it("uses the console for missing functions", async () => {
    // Possible in plain JavaScript.
    createLog({ warn: undefined } as object).warn("csrf-disabled")
    createLog({}).warn("csrf-disabled")
    await vi.waitFor(() => expect(out.warn).toHaveBeenCalledTimes(2))
  })

  it("gets debug messages whether debug is on or off", () => {
    const debug = vi.fn()
    createLog({ debug }).debug("m")
    expect(debug).toHaveBeenCalledWith("m", undefined)
  })

  it("keeps its `this`", () => {
    const seen: unknown[] = []
    const logger = {
      seen,
      warn(code: string) {
        this.seen.push(code)
      },
    }
    createLog(logger).warn("csrf-disabled")
    expect(seen).toEqual(["csrf-disabled"])
  })

  it("LOG-06: may throw, reject or never settle without an effect", async () => {
    const unhandled = vi.fn()
    process.on("unhandledRejection", unhandled)
    const functions = [
      () => {
        throw new Error("disk full")
      },
      () => Promise.reject(new Error("disk full")),
      async () => {
        throw new Error("disk full")
      },
      () => new Promise(() => {}),
    ]
    for (const fail of functions) {
      const log = createLog({ error: fail, warn: fail, debug: fail, record: fail } as unknown as LoggerInstance)
      expect(log.error(new AuthError("x"), {})).toBeUndefined()
      expect(log.errorOnce(new AuthError("x"), {})).toBeUndefined()
      expect(log.record({ kind: "sign-in" }, {})).toBeUndefined()
      expect(log.warn("csrf-disabled")).toBeUndefined()
      expect(log.warnOnce("short-secret")).toBeUndefined()
      expect(log.debug("m")).toBeUndefined()
    }
    await new Promise((resolve) => setTimeout(resolve, 0))
    process.off("unhandledRejection", unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe("a failing logger", () => {
  const fail = () => {
    throw new TypeError("cannot write hunter2")
  }
  const reject = async () => fail()

  it.each([
    ["throws", fail],
    ["rejects", reject],
  ])("LOG-06: that %s is reported once, without its message, and replaced with the console", async (_, broken) => {
    const log = createLog({ error: broken, warn: broken, record: broken })
    log.error(new AccessDenied("first"))
    log.error(new AccessDenied("second"))
    log.warn("csrf-disabled")
    log.record({ kind: "sign-in" }, {})
    await new Promise((resolve) => setTimeout(resolve, 0))
    const lines = out.error.mock.calls.flat().map(String)
    expect(lines.filter((line) => line.includes(" failed with "))).toEqual([
      "[auth][error] logger.error failed with TypeError",
      "[auth][error] logger.warn failed with TypeError",
      "[auth][error] logger.record failed with TypeError",
    ])
    expect(lines.filter((line) => line.includes("AccessDenied"))).toHaveLength(2)
    await vi.waitFor(() => expect(out.warn.mock.calls.join()).toContain("[auth][warn][csrf-disabled]"))
    expect(lines.join()).not.toContain("hunter2")
  })

  it("LOG-06: has no effect even if the console fails too", () => {
    for (const spy of Object.values(out)) spy.mockImplementation(fail)
    expect(createLog({ error: fail }).error(new Error("x"))).toBeUndefined()
    expect(createLog(undefined, { isDebug: true }).debug("x")).toBeUndefined()
  })
})

describe("errorOnce", () => {
  it("does not log an error twice, but logs the same error object again for another request", () => {
    const error = vi.fn()
    const log = createLog({ error })
    const failure = new AccessDenied("one error object for all requests")
    log.error(failure)
    log.errorOnce(failure, {})
    expect(error).toHaveBeenCalledTimes(1)
    log.errorOnce(failure, {})
    log.errorOnce(failure, {})
    expect(error).toHaveBeenCalledTimes(3)
  })
})

describe("warnOnce", () => {
  it("warns once for each code and logger function", () => {
    const warn = vi.fn()
    const logs = [createLog({ warn }), createLog({ warn }, { isDebug: true })]
    for (const log of [...logs, ...logs]) {
      log.warnOnce("debug-enabled")
      log.warnOnce("short-secret")
    }
    expect(warn.mock.calls).toEqual([["debug-enabled"], ["short-secret"]])
  })

  it("warns each logger function", () => {
    const [first, second] = [vi.fn(), vi.fn()]
    createLog({ warn: first }).warnOnce("debug-enabled")
    createLog({ warn: second }).warnOnce("debug-enabled")
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1])
  })

  it("does not affect warn", () => {
    const warn = vi.fn()
    const log = createLog({ warn })
    log.warn("csrf-disabled")
    log.warn("csrf-disabled")
    expect(warn).toHaveBeenCalledTimes(2)
  })
})
