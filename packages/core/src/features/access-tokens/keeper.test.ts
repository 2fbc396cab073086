import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  createKeeper,
  createRefreshMemory,
  type Keeper,
  type KeptTokens,
  type Leases,
  type RefreshResult,
  type TokenVault,
} from "./keeper.js"

const startMs = Date.parse("2026-03-01T00:00:00Z")
const startSeconds = startMs / 1000
const owner = ["idp", "ada"]
const untold = { onRefreshed: async () => {}, onLost: async () => {} }
const newProcess = () => ({ memory: createRefreshMemory(), secret: "the secret of the service" })

/** Virtual time: `run` lets work happen, and jumps to the next timer when nothing else is left to do. */
function virtualTime() {
  let nowMs = startMs
  let backMs = 0
  const timers: { readonly atMs: number; readonly ring: () => void }[] = []
  const idle = () => new Promise<void>((resolve) => setImmediate(resolve))

  async function run<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    void work
      .finally(() => {
        isDone = true
      })
      .catch(() => {})
    while (!isDone) {
      await idle()
      const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (isDone || !next) continue
      timers.splice(timers.indexOf(next), 1)
      nowMs = Math.max(nowMs, next.atMs)
      next.ring()
    }
    return work
  }

  return {
    clock: () => nowMs - backMs,
    /** Sets the clock back, while timers go on. */
    setBack(ms: number) {
      backMs += ms
    },
    wait: (ms: number) => new Promise<void>((ring) => timers.push({ atMs: nowMs + ms, ring })),
    run,
  }
}

type Time = ReturnType<typeof virtualTime>

/** The store that all processes share. */
function sharedStore(time: Time, first: KeptTokens) {
  let row: KeptTokens | null = first
  const held = new Map<string, { holder: string; untilMs: number }>()
  const vault: TokenVault = {
    async read() {
      await time.wait(1)
      return row && { ...row }
    },
    async replace(from, tokens) {
      await time.wait(1)
      if (row?.refresh_token !== from) return false
      row = { ...tokens }
      return true
    },
  }
  const leases: Leases = {
    async take({ id, holder, until }) {
      await time.wait(1)
      const current = held.get(id)
      if (current && current.holder !== holder && current.untilMs > time.clock()) return false
      held.set(id, { holder, untilMs: until.valueOf() })
      return true
    },
    async drop({ id, holder }) {
      await time.wait(1)
      if (held.get(id)?.holder === holder) held.delete(id)
    },
  }
  function set(tokens: KeptTokens | null): void {
    row = tokens
  }
  return { vault, leases, set, get: () => row }
}

/** A provider that rotates refresh tokens, and ends the whole family when one is used twice. */
function rotatingProvider(time: Time, { answerMs = 200 }: { readonly answerMs?: number } = {}) {
  const used = new Set<string>()
  let generation = 1
  let isFamilyOver = false
  let calls = 0
  const faults: ("lose answer" | "fail" | "crash")[] = []
  async function refresh(refreshToken: string): Promise<RefreshResult> {
    calls++
    const fault = faults.shift()
    await time.wait(answerMs)
    if (fault === "fail") return { kind: "unreachable", error: new Error("503") }
    if (used.has(refreshToken)) isFamilyOver = true
    if (isFamilyOver) return { kind: "refused", error: new Error("invalid_grant") }
    used.add(refreshToken)
    generation++
    if (fault === "crash") return new Promise(() => {})
    if (fault === "lose answer") return { kind: "lost", error: new Error("timed out") }
    return { kind: "refreshed", tokens: tokensOf(generation, time) }
  }
  return { refresh, faults, calls: () => calls }
}

function tokensOf(generation: number, time: Time): KeptTokens {
  return {
    access_token: `access-${generation}`,
    refresh_token: `refresh-${generation}`,
    expires_at: Math.floor(time.clock() / 1000) + 3600,
  }
}

const due: KeptTokens = { access_token: "access-1", refresh_token: "refresh-1", expires_at: startSeconds - 1 }

function setUp({
  first = due,
  processes = 1,
  answerMs = 200,
}: {
  first?: KeptTokens
  processes?: number
  answerMs?: number
} = {}) {
  const time = virtualTime()
  const store = sharedStore(time, first)
  const provider = rotatingProvider(time, { answerMs })
  const lost: string[] = []
  const told = { onRefreshed: async () => {}, onLost: async () => void lost.push("lost") }
  const keepers = Array.from({ length: processes }, () =>
    createKeeper({ leases: store.leases, ...newProcess(), ...time }),
  )
  const ask = (keeper: Keeper | undefined, secondsLeft = 60) =>
    (keeper ?? expect.unreachable()).keep({
      vault: store.vault,
      owner,
      refresh: provider.refresh,
      secondsLeft,
      ...told,
    })
  return { time, store, provider, lost, keepers, ask }
}

describe("a keeper of tokens", () => {
  it.each([1, 3])(
    "KEEP-01: refreshes once for 50 callers in %i processes, and all get the same token",
    async (processes) => {
      const { time, provider, keepers, ask } = setUp({ processes })
      const asked = keepers.flatMap((keeper) => Array.from({ length: 50 }, () => ask(keeper)))
      const all = await time.run(Promise.all(asked))
      expect(provider.calls()).toBe(1)
      expect(new Set(all.map((kept) => ("tokens" in kept ? kept.tokens.access_token : kept.failure)))).toEqual(
        new Set(["access-2"]),
      )
    },
  )

  it("KEEP-04: does not give the new tokens of one account to another that has the same refresh token", async () => {
    const time = virtualTime()
    const { leases, vault: ada } = sharedStore(time, due)
    const { vault: ben } = sharedStore(time, due)
    const keeper = createKeeper({ leases, ...newProcess(), ...time })
    const refreshed = (user: string) => async (): Promise<RefreshResult> => ({
      kind: "refreshed",
      tokens: { ...tokensOf(2, time), access_token: `access of ${user}` },
    })
    const ask = (user: string, vault: TokenVault) =>
      keeper.keep({ vault, owner: ["idp", user], refresh: refreshed(user), secondsLeft: 60, ...untold })
    const found = await time.run(Promise.all([ask("ada", ada), ask("ben", ben)]))
    expect(found).toMatchObject(["ada", "ben"].map((user) => ({ tokens: { access_token: `access of ${user}` } })))
  })

  it("KEEP-04: does not remember for one account that its provider refused the refresh token of another", async () => {
    const time = virtualTime()
    const { leases, vault } = sharedStore(time, { ...due, expires_at: startSeconds - 1 })
    const keeper = createKeeper({ leases, ...newProcess(), ...time })
    const refuse = async (): Promise<RefreshResult> => ({ kind: "refused", error: new Error("invalid_grant") })
    const grant = async (): Promise<RefreshResult> => ({ kind: "refreshed", tokens: tokensOf(2, time) })
    const ask = (provider: string, refresh: typeof refuse) =>
      keeper.keep({ vault, owner: [provider, "ada"], refresh, secondsLeft: 60, ...untold })
    expect(await time.run(ask("other", refuse))).toMatchObject({ failure: "refused" })
    expect(await time.run(ask("idp", grant))).toMatchObject({ tokens: { access_token: "access-2" } })
  })

  it("KEEP-04: does not give what one service remembers to another in its process, which has the same ids", async () => {
    const time = virtualTime()
    const { leases, vault } = sharedStore(time, due)
    const process = newProcess()
    const keeperOf = (secret: string) => createKeeper({ leases, ...process, secret, ...time })
    const refuse = async (): Promise<RefreshResult> => ({ kind: "refused", error: new Error("invalid_grant") })
    const grant = async (): Promise<RefreshResult> => ({ kind: "refreshed", tokens: tokensOf(2, time) })
    const ask = (keeper: Keeper, refresh: typeof refuse) =>
      keeper.keep({ vault, owner, refresh, secondsLeft: 60, ...untold })
    expect(await time.run(ask(keeperOf("one"), refuse))).toMatchObject({ failure: "refused" })
    expect(await time.run(ask(keeperOf("other"), grant))).toMatchObject({ tokens: { access_token: "access-2" } })
  })

  it("KEEP-01: writes the new tokens that one copy of the package could not store, for another copy", async () => {
    const { time, store, provider } = setUp()
    const process = newProcess()
    const [one, other] = [1, 2].map(() => createKeeper({ leases: store.leases, ...process, ...time }))
    const broken: TokenVault = { ...store.vault, replace: () => Promise.reject(new Error("The store is down")) }
    const ask = (keeper: Keeper | undefined, vault: TokenVault) =>
      (keeper ?? expect.unreachable()).keep({ vault, owner, refresh: provider.refresh, secondsLeft: 60, ...untold })
    expect(await time.run(ask(one, broken))).toMatchObject({ tokens: { access_token: "access-2" } })
    expect(await time.run(ask(other, store.vault))).toMatchObject({ tokens: { access_token: "access-2" } })
    expect(await time.run(store.vault.read())).toMatchObject({ refresh_token: "refresh-2" })
    expect(provider.calls()).toBe(1)
  })

  it("KEEP-04: returns no token of an account that was unlinked during the refresh", async () => {
    const time = virtualTime()
    const { leases, vault, set } = sharedStore(time, due)
    const keeper = createKeeper({ leases, ...newProcess(), ...time })
    const events: string[] = []
    async function refresh(): Promise<RefreshResult> {
      await time.wait(200)
      set(null)
      return { kind: "refreshed", tokens: tokensOf(2, time) }
    }
    const told = { ...untold, onRefreshed: async () => void events.push("refreshed") }
    const ask = () => keeper.keep({ vault, owner, refresh, secondsLeft: 60, ...told })
    for (let n = 0; n < 2; n++) expect(await time.run(ask())).toEqual({ failure: "no-account" })
    // Linked again, the account has other tokens.
    set({ ...due, refresh_token: "refresh-9", expires_at: startSeconds + 7200, access_token: "access-9" })
    expect(await time.run(ask())).toMatchObject({ tokens: { access_token: "access-9" } })
    expect(events).toEqual([])
  })

  it("KEEP-01: makes no call with a lease that ran out while the store was slow", async () => {
    const { time, store, provider, keepers, ask } = setUp({ processes: 2 })
    const [first, second] = keepers
    const slow: Leases = {
      ...store.leases,
      async take(lease) {
        await time.wait(20_000)
        return store.leases.take(lease)
      },
    }
    const late = ask(createKeeper({ leases: slow, ...newProcess(), ...time }))
    // The late caller has just been told that it has the lease, which is over.
    await time.run(time.wait(20_003))
    const prompt = [ask(first), ask(second)]
    const results = await time.run(Promise.all([late, ...prompt]))
    expect(results.map((kept) => ("tokens" in kept ? kept.tokens.access_token : kept.failure))).toContain("access-2")
    expect(provider.calls()).toBe(1)
  })

  it("KEEP-02: tries a refused token once, also for a caller who was waiting for the lease", async () => {
    const { time, store, provider, ask } = setUp({ processes: 1 })
    provider.faults.push("lose answer")
    await time.run(provider.refresh("refresh-1"))
    // The lease of the second caller arrives when the first one has its answer and has dropped its own.
    let taken = 0
    const slow: Leases = {
      ...store.leases,
      async take(lease) {
        await time.wait(taken++ === 0 ? 1 : 1_000)
        return store.leases.take(lease)
      },
    }
    const process = createKeeper({ leases: slow, ...newProcess(), ...time })
    const results = await time.run(Promise.all([ask(process), ask(process)]))
    expect(results).toEqual([
      expect.objectContaining({ failure: "refused" }),
      expect.objectContaining({ failure: "refused" }),
    ])
    expect(provider.calls()).toBe(2)
  })

  it("KEEP-02: lets another process refresh when the first one died before the call", async () => {
    const { time, store, provider, keepers, ask } = setUp({ processes: 2 })
    const [first, second] = keepers
    void first?.keep({ vault: store.vault, owner, refresh: () => new Promise(() => {}), secondsLeft: 60, ...untold })
    await time.run(time.wait(100))
    expect(await time.run(ask(second))).toEqual({ failure: "unreachable" })
    await time.run(time.wait(6000))
    expect(await time.run(ask(second))).toMatchObject({ tokens: { access_token: "access-2" } })
    expect(provider.calls()).toBe(1)
  })

  it("KEEP-02: asks the person to sign in again when the answer was lost, and never loops", async () => {
    const { time, provider, lost, keepers, ask } = setUp({ processes: 2 })
    provider.faults.push("crash")
    const [first, second] = keepers
    void ask(first)
    await time.run(time.wait(16_000))
    expect(await time.run(ask(second))).toMatchObject({ failure: "refused" })
    expect(await time.run(ask(second))).toMatchObject({ failure: "refused" })
    expect([provider.calls(), lost.length]).toEqual([2, 1])
  })

  it("waits out the lease before it uses a token again whose answer was lost", async () => {
    const { time, provider, keepers, ask } = setUp({ processes: 2 })
    const [first, second] = keepers
    provider.faults.push("lose answer")
    expect(await time.run(ask(first))).toMatchObject({ failure: "unreachable" })
    const beforeMs = time.clock()
    await time.run(ask(second))
    expect(provider.calls()).toBe(1)
    expect(time.clock() - beforeMs).toBeGreaterThan(9000)
  })

  it("calls a provider that is down once for all who wait, and serves the old token while it lives", async () => {
    const first = { ...due, expires_at: startSeconds + 30 }
    const { time, provider, keepers, ask } = setUp({ first })
    provider.faults.push("fail")
    const all = await time.run(Promise.all(Array.from({ length: 50 }, () => ask(keepers[0]))))
    expect(all).toEqual(all.map(() => ({ tokens: first })))
    expect(provider.calls()).toBe(1)
  })

  it("remembers neither a failure nor a refusal longer after the clock was set back", async () => {
    for (const kind of ["unreachable", "refused"] as const) {
      const { time, store } = setUp()
      const keeper = createKeeper({ leases: store.leases, ...newProcess(), ...time })
      const results: RefreshResult[] = [
        { kind, error: new Error(kind) },
        { kind: "refreshed", tokens: tokensOf(2, time) },
      ]
      const refresh = async () => results.shift() ?? expect.unreachable()
      const ask = () => keeper.keep({ vault: store.vault, owner, refresh, secondsLeft: 60, ...untold })
      expect(await time.run(ask())).toMatchObject({ failure: kind })
      time.setBack(24 * 3600_000)
      store.set({ ...due, expires_at: startSeconds - 48 * 3600 })
      expect(await time.run(ask())).toMatchObject({ tokens: { access_token: "access-2" } })
    }
  })

  it("does not wait longer for another caller after the clock was set back", async () => {
    const { time, store } = setUp({ first: { ...due, expires_at: startSeconds - 7200 } })
    const leases: Leases = { ...store.leases, take: async () => false }
    const keeper = createKeeper({ leases, ...newProcess(), ...time })
    const refresh = () => expect.unreachable()
    const asking = keeper.keep({ vault: store.vault, owner, refresh, secondsLeft: 60, ...untold })
    await time.run(time.wait(100))
    time.setBack(3600_000)
    let isDone = false
    void asking.then(() => {
      isDone = true
    })
    await time.run(time.wait(20_000))
    expect(isDone).toBe(true)
    expect(await asking).toEqual({ failure: "unreachable" })
  })

  it("does not ask a provider while the token is good", async () => {
    const first = { ...due, expires_at: startSeconds + 61 }
    const { time, provider, keepers, ask } = setUp({ first })
    expect(await time.run(ask(keepers[0]))).toEqual({ tokens: first })
    expect(provider.calls()).toBe(0)
  })

  it("returns the tokens of a sign-in that happened meanwhile", async () => {
    const { time, store, keepers, ask } = setUp({ answerMs: 1000 })
    const asking = ask(keepers[0])
    await time.run(time.wait(500))
    const newer = { access_token: "signed in", refresh_token: "newer", expires_at: startSeconds + 9999 }
    store.set(newer)
    expect(await time.run(asking)).toEqual({ tokens: newer })
    expect(store.get()).toEqual(newer)
  })

  it("keeps what the provider left out of its answer", async () => {
    const { time, store, keepers } = setUp({ first: { ...due, scope: "a b", id_token: "first" } })
    const refresh = async (): Promise<RefreshResult> => ({ kind: "refreshed", tokens: { access_token: "next" } })
    await time.run(
      (keepers[0] ?? expect.unreachable()).keep({ vault: store.vault, owner, refresh, secondsLeft: 60, ...untold }),
    )
    expect(store.get()).toMatchObject({
      access_token: "next",
      refresh_token: "refresh-1",
      scope: "a b",
      id_token: "first",
    })
  })

  it.each([
    ["the account is not linked", null, "no-account"],
    ["there is no refresh token", { access_token: "a", expires_at: startSeconds - 1 }, "no-refresh-token"],
  ] as const)("names the reason when %s", async (_, row, failure) => {
    const { time, store, keepers, ask } = setUp()
    store.set(row)
    expect(await time.run(ask(keepers[0]))).toEqual({ failure })
  })

  it("KEEP-01, KEEP-02: never uses a refresh token twice, whenever callers arrive and the provider fails", async () => {
    const arrivals = fc.array(
      fc.record({ process: fc.integer({ min: 0, max: 2 }), afterMs: fc.integer({ min: 0, max: 3000 }) }),
      { minLength: 1, maxLength: 20 },
    )
    const faults = fc.array(fc.constantFrom("fail" as const), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(arrivals, faults, fc.integer({ min: 1, max: 3000 }), async (callers, failing, answerMs) => {
        const { time, provider, lost, keepers, ask } = setUp({ processes: 3, answerMs })
        provider.faults.push(...failing)
        const asked = callers.map(async ({ process, afterMs }) => {
          await time.wait(afterMs)
          return ask(keepers[process])
        })
        const all = await time.run(Promise.all(asked))
        expect(lost).toEqual([])
        for (const kept of all) {
          if ("tokens" in kept) expect(kept.tokens.access_token).toBe("access-2")
          else expect(kept.failure).toBe("unreachable")
        }
      }),
      { numRuns: 60 },
    )
  })
})
