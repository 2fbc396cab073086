import { describe, expect, it, vi } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import {
  AccessDenied,
  AdapterError,
  CallbackRouteError,
  InvalidCheck,
  MissingCSRF,
  SessionTokenError,
} from "../errors/errors.js"
import type { LogRecord } from "../types/logger.js"
import type { LogContext } from "./audit-event.js"
import { createLog, type Log } from "./log.js"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const contextWith = (headers: Record<string, string> = {}, more: Omit<LogContext, "headers"> = {}): LogContext => ({
  headers: new Headers(headers),
  ...more,
})

/** A log with a fixed clock, and its records. */
function setUp() {
  const records: LogRecord[] = []
  const clock = () => Date.UTC(2026, 0, 2, 3, 4, 5, 6)
  const logger = { error: () => {}, record: (record: LogRecord) => void records.push(record) }
  return { records, log: createLog(logger, { clock, providerIds: new Set(["oidc", "mail"]) }) }
}

function recordOf(write: (log: Log) => void): LogRecord | undefined {
  const { records, log } = setUp()
  write(log)
  expect(records.length).toBeLessThan(2)
  return records[0]
}

describe("a record", () => {
  it("LOG-01: of a success has time, kind, provider, user and request", () => {
    const event = { kind: "sign-in", providerId: "oidc", userId: "u-v" } as const
    expect(recordOf((log) => log.record(event, contextWith({ "x-request-id": "req-1" })))).toEqual({
      time: "2026-01-02T03:04:05.006Z",
      requestId: "req-1",
      providerId: "oidc",
      userId: "u-v",
      outcome: "success",
      kind: "sign-in",
    })
  })

  it("LOG-01: of a failure has time, kind, provider, user, request and reference", () => {
    const error = new AccessDenied("no", { provider: "mail" })
    const context = contextWith({}, { context: { requestId: "from-the-framework" }, providerId: "oidc", userId: "u-v" })
    expect(recordOf((log) => log.errorOnce(error, context))).toEqual({
      time: "2026-01-02T03:04:05.006Z",
      requestId: "from-the-framework",
      providerId: "mail",
      userId: "u-v",
      outcome: "failure",
      kind: "permission",
      error: "AccessDenied",
      reference: error.reference,
    })
  })

  it("omits provider and user if they are unknown", () => {
    const bare = recordOf((log) => log.error(new MissingCSRF("x"), { providerId: "made up by a visitor" }))
    expect(bare).not.toHaveProperty("providerId")
    expect(bare).not.toHaveProperty("userId")
    expect(recordOf((log) => log.error(new MissingCSRF("x"), { providerId: "oidc" }))).toHaveProperty(
      "providerId",
      "oidc",
    )
  })

  it("LOG-04: has ids on one line and of bounded length", () => {
    const userId = `u\n[auth] fake ${"a".repeat(1_000_000)}`
    const record = recordOf((log) => log.record({ kind: "sign-out", userId }, {}))
    expect(record?.userId).toMatch(/^u\\u000a\[auth\] fake a+$/)
    expect(record?.userId?.length).toBeLessThanOrEqual(200)
    const number: unknown = 7
    expect(recordOf((log) => log.record({ kind: "sign-out", userId: number as string }, {}))?.userId).toBe("7")
  })

  it.each([
    ["an error outside of a request", (log: Log) => log.error(new AuthError("x"))],
    ["an error that is not an AuthError", (log: Log) => log.error(new TypeError("x"), {})],
  ])("is not created for %s", (_, write) => {
    expect(recordOf(write)).toBeUndefined()
  })

  it("is not created without a record function, and the request is not read", () => {
    const read = vi.fn()
    const headers = new Proxy(new Headers(), { get: read })
    const log = createLog({ error: () => {} })
    log.error(new AuthError("x"), { headers })
    log.record({ kind: "sign-in" }, { headers })
    expect(read).not.toHaveBeenCalled()
  })
})

describe("the kind of a failure", () => {
  const kindOf = (error: Error) => recordOf((log) => log.error(error, {}))?.kind

  it("is that of its type, unless its cause names a valid one", () => {
    expect(kindOf(new InvalidCheck("x"))).toBe("check")
    expect(kindOf(new CallbackRouteError("x", { provider: "oidc" }))).toBe("provider")
    expect(kindOf(new CallbackRouteError("x", { concerns: "token" }))).toBe("token")
    for (const concerns of ["nothing", 1, { toString: () => "token" }]) {
      expect(kindOf(new CallbackRouteError("x", { concerns }))).toBe("provider")
    }
  })

  it("is that of an adapter failure in its cause", () => {
    const below = new AdapterError("adapter.getUser failed", new Error("down"))
    expect(kindOf(new SessionTokenError("x", below))).toBe("adapter")
    expect(kindOf(new SessionTokenError("x", new Error("down")))).toBe("session")
  })
})

describe("the id of a request", () => {
  const idOf = (context: LogContext) => recordOf((log) => log.record({ kind: "sign-in" }, context))?.requestId ?? ""

  it.each(["a b", "x\u00e9", "<script>", "", "a".repeat(129), 'x"y'])(
    "LOG-04: is random if the request sends %j",
    (header) => {
      expect(idOf(contextWith({ "x-request-id": header }))).toMatch(uuid)
      expect(idOf({ context: { requestId: `${header}\n` } })).toMatch(uuid)
    },
  )

  it.each(["0af7651916cd43dd8448eb211c80319c", "Root=1-67891233-abcdef012345678912345678", "a/b+c=", "a".repeat(128)])(
    "is %s if the request sends it",
    (header) => {
      expect(idOf(contextWith({ "x-request-id": header }))).toBe(header)
    },
  )

  it("is constant for one request and differs between requests", () => {
    const [one, other] = [contextWith(), contextWith()]
    expect(idOf(one)).toMatch(uuid)
    expect(idOf({ ...one, providerId: "oidc" })).toBe(idOf(one))
    expect(idOf(other)).not.toBe(idOf(one))
    expect(idOf({})).not.toBe(idOf({}))
  })
})
