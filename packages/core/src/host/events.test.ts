import { afterEach, describe, expect, it, vi } from "vitest"
import { createLog } from "../log/log.js"
import { hostDeadlineMs } from "./deadline.js"
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

describe("an event", () => {
  it("LOG-06: is logged and otherwise forgotten when its handler throws", async () => {
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

  it("LOG-06: is logged when its handler rejects, also with something that is no error", async () => {
    for (const [thrown, text] of [
      [new Error("away"), "away"],
      ["hunter2", "A value of type string was thrown"],
    ] as const) {
      const { events, error } = createHost({ createUser: () => Promise.reject(thrown) })
      await events.send("createUser", message)
      expect(error.mock.calls).toEqual([[failed(text)]])
    }
  })

  it("LOG-06: does not wait for ever when its handler hangs", async () => {
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

  it("LOG-06: goes on when the logger fails as well", async () => {
    const fail = () => {
      throw new Error("no")
    }
    const silenced = vi.spyOn(console, "error").mockImplementation(() => {})
    const events = createEvents({ createUser: fail }, createLog({ error: fail }))
    await expect(events.send("createUser", message)).resolves.toBeUndefined()
    silenced.mockRestore()
  })

  it("is waited for", async () => {
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

  it("reaches its own handler with its message and keeps its `this`", async () => {
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

  it("costs nothing without a handler", () => {
    expect(createHost(undefined).events.send("createUser", message)).toBeUndefined()
    expect(createHost({ updateUser: () => {} }).events.send("createUser", message)).toBeUndefined()
  })
})
