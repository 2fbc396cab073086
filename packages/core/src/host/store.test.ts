import { describe, expect, it, vi } from "vitest"
import { AuthError } from "../errors/auth-error.js"
import { createLog } from "../log/log.js"
import type { Adapter, AdapterUser } from "../types/adapter.js"
import { createStore } from "./store.js"

function createTestStore(adapter: Adapter) {
  const logger = { error: vi.fn<(error: Error) => void>(), debug: vi.fn() }
  return { store: createStore(adapter, createLog(logger)), ...logger }
}

describe("createStore", () => {
  it("converts every error of a method to an AdapterError, logs it once and throws it", async () => {
    const original = new Error("connection refused")
    const failing: Adapter[] = [
      { getUser: () => Promise.reject(original) },
      {
        getUser: () => {
          throw original
        },
      },
    ]
    for (const adapter of failing) {
      const { store, error } = createTestStore(adapter)
      const thrown = await Promise.resolve(store.getUser("1")).then(
        () => expect.unreachable(),
        (reason: unknown) => reason,
      )
      expect(thrown).toMatchObject({
        type: "AdapterError",
        message: "adapter.getUser failed",
        cause: { err: original },
      })
      expect(error.mock.calls).toEqual([[thrown]])
      expect(error.mock.calls[0]?.[0]).toBe(thrown)
    }
  })

  it("DBS-12: logs the failures of one outage once, whatever they alternate between or name", async () => {
    const state: { message: string | null } = { message: null }
    const seeSession = () => {
      if (state.message !== null) throw new Error(state.message)
      return null
    }
    const { store, error } = createTestStore({ seeSession })
    const see = async (message: string | null) => {
      state.message = message
      const seen = { id: "1", userId: "1", seenAt: new Date(), expires: new Date() }
      await Promise.resolve(store.seeSession(seen)).catch(() => {})
    }
    for (const message of ["refused", "timed out", "refused", "timed out"]) await see(message)
    expect(error).toHaveBeenCalledTimes(2)
    await see(null)
    for (let n = 0; n < 50; n++) await see(`timed out after ${n} ms`)
    expect(error).toHaveBeenCalledTimes(7)
  })

  it("does not repeat a thrown value that is not an error", async () => {
    const { store, error } = createTestStore({ getUser: () => Promise.reject({ query: "hunter2" }) })
    await expect(store.getUser("1")).rejects.toMatchObject({ type: "AdapterError" })
    expect(JSON.stringify(error.mock.calls[0]?.[0]) + error.mock.calls[0]?.[0].cause).not.toContain("hunter2")
  })

  it("rethrows an AuthError without logging it", async () => {
    const own = new AuthError("own")
    const { store, error } = createTestStore({ getUser: () => Promise.reject(own) })
    await expect(store.getUser("1")).rejects.toBe(own)
    expect(error).not.toHaveBeenCalled()
  })

  it("returns null for the undefined of an adapter that returns the first of no rows", async () => {
    const [rows]: (readonly never[])[] = [[]]
    const { store } = createTestStore({
      seeSession: () => rows?.[0] as never,
      getPassword: async () => rows?.[0] as never,
    })
    expect([await store.seeSession({} as never), await store.getPassword("1")]).toEqual([null, null])
  })

  it("names the missing method", async () => {
    const { store } = createTestStore({ getUser: undefined } as object)
    for (const call of [store.getUser("1"), store.deleteSession("t")]) {
      await expect(call).rejects.toMatchObject({ type: "MissingAdapterMethods" })
    }
    await expect(store.getUser("1")).rejects.toThrow("adapter.getUser is missing. Add it to the adapter")
  })

  it("calls the adapter's method with its `this` and all arguments", async () => {
    class Users {
      readonly names = new Map([["1", "Ada"]])
      getUser(id: string) {
        return { id, email: "ada@app.test", emailVerified: null, name: this.names.get(id) ?? null }
      }
      getAccount(...values: readonly unknown[]) {
        return values as never
      }
    }
    const { store } = createTestStore(new Users())
    expect(await store.getUser("1")).toMatchObject({ id: "1", name: "Ada" })
    expect(await store.getAccount("a", "github")).toEqual(["a", "github"])
  })

  it("supports an adapter that creates its methods on access", async () => {
    const adapter: Adapter = new Proxy({}, { get: (_, name) => (id: string) => ({ id, called: name }) })
    const { store } = createTestStore(adapter)
    expect(await store.getUser("1")).toEqual({ id: "1", called: "getUser" })
    expect(store.has("getUserByEmail")).toBe(true)
  })

  it("ADP-13: finds no user whose id is another one", async () => {
    const users = new Map<string, unknown>([
      ["ada", "ada"],
      ["7", 7],
      ["ADA", "ada"],
      ["7 or so", 7],
    ])
    const adapter: Adapter = { getUser: (id) => (users.has(id) ? ({ id: users.get(id) } as AdapterUser) : null) }
    const { store } = createTestStore(adapter)
    const found = await Promise.all([...users.keys(), "nobody"].map((id) => store.getUser(id)))
    expect(found).toEqual([{ id: "ada" }, { id: 7 }, null, null, null])
  })

  it("reports which methods exist", () => {
    const { store } = createTestStore({ getUser: () => null })
    expect([store.has("getUser"), store.has("createUser")]).toEqual([true, false])
  })

  it("can be awaited without being taken for a promise", async () => {
    const { store } = createTestStore({ getUser: () => null })
    expect(await Promise.resolve(store)).toBe(store)
  })

  it("LOG-03: logs method calls for debugging without secrets", async () => {
    const { store, debug } = createTestStore({ getSessionAndUser: () => null })
    await store.getSessionAndUser("hunter2")
    expect(debug.mock.calls).toEqual([["adapter.getSessionAndUser", ["[withheld]"]]])
  })
})
