import type { Session } from "@latchkey/core"
import { type Caller, readSession, type SessionAnswer, type Settings } from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import type { RequestEvent } from "@sveltejs/kit"
import { isNobody, toCaller } from "./caller.js"
import { setCookies, toCookieHeader } from "./cookies.js"

/** Whoever sent a request: what is found out about them once, and what they are to be told. */
export interface Visitor {
  readonly caller: Caller
  readonly settings: Settings
  /**
   * Null when nobody is signed in.
   * @throws AuthError when the service cannot say
   */
  findSession(): Promise<Session | null>
  /** What reading the session has renewed, as far as it was read. */
  findRenewed(): readonly ResponseCookie[]
  /** Sets what an action answered. Whose session it is may have changed by that. */
  setCookies(cookies: readonly ResponseCookie[]): void
}

/** How far the session of one request was read. */
interface Reading {
  readonly answer?: Promise<SessionAnswer>
  readonly renewed: readonly ResponseCookie[]
  /** Whether an action has set cookies, which no longer are those that were sent. */
  readonly isChanged: boolean
}

export function createVisitor(event: RequestEvent, settings: Settings): Visitor {
  const caller = toCaller(event)
  let reading: Reading = { renewed: [], isChanged: false }

  async function read(): Promise<SessionAnswer> {
    const before = reading
    const answer = await readSession(before.isChanged ? withCookiesOf(event, caller) : caller, settings)
    // An action that ended in between has the last word.
    if (before.isChanged === reading.isChanged) reading = { ...reading, renewed: answer.cookies }
    return answer
  }

  async function findSession(): Promise<Session | null> {
    if (isNobody(caller)) return null
    const answer = reading.answer ?? read()
    reading = { ...reading, answer }
    return (await answer).session
  }

  return {
    caller,
    settings,
    findSession,
    findRenewed: () => reading.renewed,
    setCookies(cookies) {
      reading = { renewed: [], isChanged: true }
      setCookies(event.cookies, cookies)
    },
  }
}

function withCookiesOf(event: RequestEvent, caller: Caller): Caller {
  const headers = new Headers(caller.headers)
  headers.set("cookie", toCookieHeader(event.cookies))
  return { ...caller, headers }
}
