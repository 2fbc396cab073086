import { afterEach, describe, expect, it, vi } from "vitest"
import { createLog } from "../log/log.js"
import { hostDeadlineMs } from "../runtime/promise.js"
import type { LogRecord } from "../types/logger.js"
import { createEvents } from "./events.js"

const message = { user: { id: "1" } }

function createHost(handlers: Parameters<typeof createEvents>[0]) {
  const error = vi.fn<(error: Error) => void>()
  return { events: createEvents(handlers, createLog({ error })), error }
}

const failed = (text: string) =>
  expect.objectContaining({ type: "EventError", message: `events.createUser failed: ${text}` })

afterEach(() => {
  vi.useRealTimers()
})

describe("createEvents", () => {
  it("LOG-06: logs a handler that throws, and goes on", async () => {
    const cause = new Error("audit log is full")
    const { events, error } = createHost({
      createUser: () => {
        throw cause
      },
    })
    await expect(events.send("createUser", message)).resolves.toBeUndefined()
    expect(error.mock.calls).toEqual([[failed("audit log is full")]])
    expect(error.mock.calls[0]?.[0]).toHaveProperty("cause.err", cause)
  })

  it("LOG-06: logs a handler that rejects, with an error or any other value", async () => {
    for (const [thrown, text] of [
      [new Error("down"), "down"],
      ["hunter2", "A value of type string was thrown"],
    ] as const) {
      const { events, error } = createHost({ createUser: () => Promise.reject(thrown) })
      await events.send("createUser", message)
      expect(error.mock.calls).toEqual([[failed(text)]])
    }
  })

  it("LOG-06: stops waiting for a handler at the deadline", async () => {
    vi.useFakeTimers()
    const { events, error } = createHost({ createUser: () => new Promise(() => {}) })
    const done = vi.fn()
    events.send("createUser", message)?.then(done)
    await vi.advanceTimersByTimeAsync(hostDeadlineMs - 1)
    expect(done).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(done).toHaveBeenCalledOnce()
    expect(error.mock.calls).toEqual([[failed("The handler took longer than 10000 ms")]])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("LOG-06: goes on if the handler and the logger fail", async () => {
    const fail = () => {
      throw new Error("no")
    }
    const silenced = vi.spyOn(console, "error").mockImplementation(() => {})
    const events = createEvents({ createUser: fail }, createLog({ error: fail }))
    await expect(events.send("createUser", message)).resolves.toBeUndefined()
    silenced.mockRestore()
  })

  it("waits for the handler", async () => {
    let isDone = false
    const { events, error } = createHost({
      createUser: async () => {
        await Promise.resolve()
        isDone = true
      },
    })
    await events.send("createUser", message)
    expect(isDone).toBe(true)
    expect(error).not.toHaveBeenCalled()
  })

  it("calls the handler of the event with the message and its `this`", async () => {
    const handlers = {
      seen: [] as unknown[],
      createUser(given: unknown) {
        this.seen.push(given)
      },
      updateUser() {
        this.seen.push("another event")
      },
    }
    await createHost(handlers).events.send("createUser", message)
    expect(handlers.seen).toEqual([message])
  })

  it("returns undefined without a handler", () => {
    expect(createHost(undefined).events.send("createUser", message)).toBeUndefined()
    expect(createHost({ updateUser: () => {} }).events.send("createUser", message)).toBeUndefined()
  })
})

describe("the events of a request", () => {
  const account = { provider: "oidc", providerAccountId: "1", type: "oidc" } as const
  const user = { id: "u-v" }

  it("LOG-01: are recorded with or without a handler, and before it runs", async () => {
    const told: unknown[] = []
    const log = createLog({ record: ({ kind, userId }) => told.push([kind, userId]) })
    const handler = () => void told.push("handler")
    const events = createEvents({ signIn: handler, session: handler }, log).of({})
    await events.send("signIn", { user, account })
    await events.send("createUser", { user })
    await events.send("updateUser", { user })
    await events.send("linkAccount", { user, account, profile: user })
    await events.send("signOut", { session: { sessionToken: "t", userId: "u-s", expires: new Date() } })
    await events.send("signOut", { token: { sub: "u-t" } })
    await events.send("signOut", { session: null })
    await events.send("session", { session: { expires: "" } })
    expect(told).toEqual([
      ["sign-in", "u-v"],
      "handler",
      ["user-created", "u-v"],
      ["user-updated", "u-v"],
      ["account-linked", "u-v"],
      ["sign-out", "u-s"],
      ["sign-out", "u-t"],
      ["sign-out", undefined],
      "handler",
    ])
  })

  it("LOG-01: record the provider of the account", async () => {
    const providers: unknown[] = []
    const logger = { record: ({ providerId }: LogRecord) => void providers.push(providerId) }
    const log = createLog(logger, { providerIds: new Set(["oidc", "mail"]) })
    const events = createEvents(undefined, log).of({ providerId: "mail" })
    await events.send("signIn", { user, account })
    await events.send("signIn", { user, account: null })
    await events.of({}).send("createUser", { user })
    expect(providers).toEqual(["oidc", "mail", undefined])
  })

  it("LOG-01: record a handler that fails", async () => {
    const records: LogRecord[] = []
    const log = createLog({ error: () => {}, record: (record) => void records.push(record) })
    const fail = () => Promise.reject(new Error("no"))
    const events = createEvents({ signIn: fail, session: fail }, log)
    await events.of({}).send("signIn", { user })
    await events.send("session", { session: { expires: "" } }, {})
    await events.send("session", { session: { expires: "" } })
    expect(records.map(({ kind }) => kind)).toEqual(["sign-in", "event", "event"])
  })
})
