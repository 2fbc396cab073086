import { sha256Hex } from "../../crypto/hash.js"
import type { Store } from "../../host/store.js"
import { BoundedMap, onePerProcess } from "../../runtime/cache.js"
import { systemClock } from "../../runtime/promise.js"
import type { ActionContext } from "../feature.js"

/** Remembers which sessions of other libraries were taken over or have ended, for as long as they could be used again. */
export interface Marks {
  /** True for the first caller only. */
  take(id: string, until: Date): Promise<boolean>
  mark(id: string, until: Date): Promise<void>
  /** Asks without marking. */
  isMarked(id: string): Promise<boolean>
}

/** Shared by all configurations, so that a configuration that is rebuilt for each request does not forget. */
const openMemory = onePerProcess("moved", 1, () => {
  const endings = new BoundedMap<string, number>(100_000)
  return {
    isKnown: (key: string): boolean => (endings.get(key) ?? 0) > systemClock(),
    keep: (key: string, until: Date): void => void endings.set(key, until.valueOf()),
  }
})

type MarkDeps = Pick<ActionContext, "store" | "secrets"> & Partial<Pick<ActionContext, "log">>

/** The marks of users all of whose sessions were ended. Without a store, they are the same for all services of a process. */
export function createUserMarks(store: Store | null): Pick<Marks, "mark" | "isMarked"> {
  const { mark, isMarked } = createMarks({ store, secrets: [] })
  return { mark: (userId, until) => mark(`user ${userId}`, until), isMarked: (userId) => isMarked(`user ${userId}`) }
}

/** Marks in the store, for all processes; without the methods for it, in this process, which is logged. */
export function createMarks({ store, log, secrets }: MarkDeps): Marks {
  const isStored =
    store !== null && (["consumeOnce", "takeLease", "dropLease"] as const).every((name) => store.has(name))
  if (isStored) return storedMarks(store)
  const local = localMarks(secrets[0] ?? "")
  const taken = store?.has("consumeOnce") ? storedMarks(store) : local
  return {
    async take(id, until) {
      log?.warnOnce("accept-memory")
      return (await local.take(id, until)) && (taken === local || (await taken.take(id, until)))
    },
    mark: local.mark,
    isMarked: local.isMarked,
  }
}

/** @param secret Of the service: others in this process have marks of their own. */
function localMarks(secret: string): Marks {
  const memory = openMemory()
  return {
    async take(id, until) {
      const key = `${secret} taken ${id}`
      if (memory.isKnown(key)) return false
      memory.keep(key, until)
      return true
    },
    mark: async (id, until) => memory.keep(`${secret} marked ${id}`, until),
    isMarked: async (id) => memory.isKnown(`${secret} marked ${id}`),
  }
}

/** Whoever holds the lease of a mark: a lease can be asked for without changing it. */
const holders = { marked: "marked", asking: "asking" }

/** How long one that only asks has the lease, in milliseconds. Whoever marks takes it away. */
const askingMs = 1000
const maxTries = 10

function storedMarks(store: Store): Marks {
  const toId = (id: string) => sha256Hex(`moved ${id}`)
  return {
    take: async (id, until) => (await store.consumeOnce(await sha256Hex(`taken ${id}`), until)) === true,
    async mark(id, until) {
      const lease = { id: await toId(id), holder: holders.marked, until }
      for (let tries = 0; tries < maxTries; tries++) {
        if (await store.takeLease(lease)) return
        await store.dropLease({ id: lease.id, holder: holders.asking })
      }
      throw new Error("A session of another library could not be marked: the store does not give the lease")
    },
    async isMarked(id) {
      const until = new Date(systemClock() + askingMs)
      return (await store.takeLease({ id: await toId(id), holder: holders.asking, until })) !== true
    },
  }
}
