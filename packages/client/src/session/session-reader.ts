import type { Session } from "@latchkey/types"
import type { AuthClient } from "../auth-client.js"
import { createCell } from "./cell.js"
import { createQueue } from "./queue.js"
import { afterFailure, isSameState, type SessionState, toState } from "./session-state.js"

/** The session as far as it is known, and the ways to know it better. Never are two requests under way. */
export interface SessionReader {
  getState(): SessionState
  /** @returns what ends it */
  watch(listener: () => void): () => void
  /** Asks, after whatever is under way; several that wait are one. @throws AuthClientError */
  refresh(): Promise<Session | null>
  /** @throws AuthClientError */
  update(data: unknown): Promise<Session | null>
  /** Takes what somebody else was told. */
  learn(session: Session | null): void
  /** Whether nothing is being asked. */
  isIdle(): boolean
  /** Since the last answer, in milliseconds. */
  age(): number
}

export function createSessionReader(client: AuthClient, known: Session | null | undefined): SessionReader {
  const cell = createCell(toState(known), isSameState)
  const queue = createQueue()
  let heardAt = known === undefined ? Number.NEGATIVE_INFINITY : Date.now()
  let lessons = 0
  let waiting: Promise<Session | null> | undefined

  function learn(session: Session | null): void {
    lessons += 1
    heardAt = Date.now()
    cell.set(toState(session))
  }

  async function load(): Promise<Session | null> {
    waiting = undefined
    const before = lessons
    try {
      const session = await client.getSession()
      // What was learnt meanwhile is younger than the answer.
      if (before === lessons) learn(session)
    } catch (error) {
      if (before === lessons) cell.set(afterFailure(cell.get(), toError(error)))
      throw error
    }
    return cell.get().data
  }

  function refresh(): Promise<Session | null> {
    waiting ??= queue.add(load)
    return waiting
  }

  async function update(data: unknown): Promise<Session | null> {
    const session = await queue.add(() => client.updateSession(data))
    learn(session)
    return session
  }

  const age = (): number => Date.now() - heardAt
  return { getState: cell.get, watch: cell.watch, refresh, update, learn, isIdle: queue.isIdle, age }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("The session could not be read", { cause: thrown })
}
