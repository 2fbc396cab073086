import { sha256Hex } from "../crypto/hash.js"
import type { Store } from "../host/store.js"
import type { Clock } from "../types/basics.js"

/** When sessions were first tracked, in seconds since 1970-01-01T00:00:00Z. It is stored, so that no restart moves it. */
export interface FirstStart {
  /** Called when a session begins: tokens without a record are not from before any more. Asks the store once. Never throws. */
  note(): Promise<void>
  /**
   * Null where it is not known: the adapter cannot keep it, or another process is reading it for too long.
   * @throws AdapterError if the store cannot be asked
   */
  read(): Promise<number | null>
}

/** Longer than any token from before lives. */
const keptForMs = 10 * 365 * 24 * 60 * 60 * 1000

/** How often to look for the value while another process reads it, and how long to wait in between. */
const tries = 5
const pauseMs = 100

/** The store has no way to read a temporary value and leave it there, so it is taken and kept again. */
export function createFirstStart(store: Store, clock: Clock): FirstStart {
  const canKeep = store.has("consumeOnce") && store.has("keepTemporary") && store.has("takeTemporary")
  const createdAt = toWholeSeconds(clock())
  const toId = () => sha256Hex("first tracked session")
  let known: number | undefined
  let isMarked = false

  const keep = async (start: number) =>
    store.keepTemporary({ id: await toId(), value: String(start), expires: new Date(clock() + keptForMs) })

  /** Stores the start if this process is the first to do so. */
  async function mark(start: number): Promise<void> {
    if (isMarked) return
    isMarked = true
    try {
      if ((await store.consumeOnce(await toId(), new Date(clock() + keptForMs))) !== true) return
      known = start
      await keep(start)
    } catch (error) {
      isMarked = false
      throw error
    }
  }

  async function load(): Promise<number | null> {
    await mark(createdAt)
    for (let n = 0; known === undefined && n < tries; n++) {
      if (n > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      const value = await store.takeTemporary(await toId())
      if (value === null) continue
      known = Number(value)
      await keep(known)
    }
    return known ?? null
  }

  return {
    async note() {
      // A second earlier: the token of the session that begins now is dated to the second, and must not count as one from before.
      if (canKeep && !isMarked) await mark(Math.min(createdAt, toWholeSeconds(clock()) - 1)).catch(() => {})
    },
    async read() {
      // Each request by itself: a platform may end the one that began, and its promise would stay pending for the others.
      return known !== undefined || !canKeep ? (known ?? null) : load()
    },
  }
}

function toWholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
