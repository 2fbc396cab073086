import type { Session } from "@latchkey/types"
import type { CookieWriter } from "../features/access-tokens/place.js"
import { serializeCookie } from "../http/cookies.js"
import type { ResponseCookie } from "../types/http.js"
import { type SignInRequest, type SignOutRequest, signIn, signOut, updateSession } from "./actions.js"
import type { Caller, Settings } from "./config.js"
import { readSession } from "./session.js"

/** The session and the actions of one request. Their cookies go out with its response. */
export interface RequestAuth {
  /** The session, once `getSession` or `updateSession` has resolved; null before that and when signed out. */
  readonly session: Session | null
  /**
   * Returns the current session, or null when signed out. Reads it once for each request, and renews its cookie.
   * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
   */
  getSession(): Promise<Session | null>
  /**
   * Starts a sign-in from a form of your own; with credentials or the code of a mail, completes it. The session begins
   * with the next request. Does not check a CSRF token, so make sure that the form is yours; a foreign `Origin` is
   * rejected.
   * @returns the URL to redirect to (use 303)
   * @throws AuthError when the sign-in is refused, such as `CredentialsSignin`
   */
  signIn(options?: SignInRequest): Promise<string>
  /**
   * Ends the current session. Like `signIn`, it does not check a CSRF token.
   * @returns the URL to redirect to
   * @throws AuthError
   */
  signOut(options?: SignOutRequest): Promise<string>
  /**
   * Passes data to the `jwt` and `session` callbacks, with `trigger: "update"`.
   * @returns the updated session, or null when signed out
   * @throws AuthError
   */
  updateSession(data: unknown): Promise<Session | null>
}

/** A request's session and actions, and the cookies that its response has to set. */
export interface RequestState {
  readonly auth: RequestAuth
  /**
   * Returns the pending cookies as `Set-Cookie` values, once. Leaves out a cookie that the response sets itself: a
   * renewed session behind one that was ended would sign the user in again.
   * @param sent The `Set-Cookie` values of the response.
   */
  takeCookies(sent: readonly string[]): readonly string[]
  /**
   * Like `takeCookies`, for frameworks that serialize cookies themselves.
   * @param names The names of the cookies that the response sets.
   */
  takeResponseCookies(names: readonly string[]): readonly ResponseCookie[]
  /** Adds cookies to the pending ones, until they are taken. */
  readonly writer: CookieWriter
}

/**
 * Creates the state of one request, for frameworks that can add cookies to a response after the host's handler has run.
 * @param findCaller Called by each read and action.
 */
export function createRequestState(
  findCaller: () => Promise<{ readonly caller: Caller; readonly settings: Settings }>,
): RequestState {
  const pending = createPendingCookies()
  let reading: Promise<Session | null> | undefined
  let session: Session | null = null
  let isSettled = false

  async function read(): Promise<Session | null> {
    const { caller, settings } = await findCaller()
    const answer = await readSession(caller, settings)
    pending.addMissing(answer.cookies)
    if (!isSettled) session = answer.session
    return answer.session
  }

  /** The result of an action replaces that of a read, even of one that is still running. */
  function settle(result: Session | null): void {
    session = result
    isSettled = true
    // The request still carries the old cookie, which would be read and renewed.
    reading = Promise.resolve(result)
  }

  const auth: RequestAuth = {
    get session() {
      return session
    },
    getSession() {
      reading ??= read()
      return reading
    },
    async signIn(options = {}) {
      const { caller, settings } = await findCaller()
      const { url, cookies } = await signIn(caller, settings, options)
      pending.replace(cookies)
      return url
    },
    async signOut(options = {}) {
      const { caller, settings } = await findCaller()
      const { url, cookies } = await signOut(caller, settings, options)
      pending.replace(cookies)
      settle(null)
      return url
    },
    async updateSession(data) {
      const { caller, settings } = await findCaller()
      const answer = await updateSession(caller, settings, data)
      pending.replace(answer.cookies)
      settle(answer.session)
      return answer.session
    },
  }

  return { auth, takeCookies: pending.takeLines, takeResponseCookies: pending.take, writer: pending.writer }
}

interface PendingCookies {
  /** Adds the cookies of a read; those of an action stand. */
  addMissing(cookies: readonly ResponseCookie[]): void
  /** Adds the cookies of an action, which replace earlier ones. */
  replace(cookies: readonly ResponseCookie[]): void
  take: RequestState["takeResponseCookies"]
  takeLines: RequestState["takeCookies"]
  readonly writer: CookieWriter
}

function createPendingCookies(): PendingCookies {
  let pending: readonly ResponseCookie[] = []
  let isTaken = false
  function replace(cookies: readonly ResponseCookie[]): void {
    pending = [...without(pending, toFamilies(cookies)), ...cookies]
  }
  function take(names: readonly string[]): readonly ResponseCookie[] {
    isTaken = true
    const taken = without(pending, new Set(names.map(toFamily)))
    pending = []
    return taken
  }
  return {
    replace,
    take,
    takeLines: (sent) => take(sent.map(toName)).map((cookie) => serializeCookie(cookie)),
    writer: { canWrite: () => !isTaken, write: replace },
    addMissing(cookies) {
      pending = [...pending, ...without(cookies, toFamilies(pending))]
    },
  }
}

/** The name of a `Set-Cookie` value. */
function toName(line: string): string {
  return line.split("=", 1)[0] ?? ""
}

function without(cookies: readonly ResponseCookie[], families: ReadonlySet<string>): readonly ResponseCookie[] {
  return cookies.filter(({ name }) => !families.has(toFamily(name)))
}

function toFamilies(cookies: readonly ResponseCookie[]): ReadonlySet<string> {
  return new Set(cookies.map(({ name }) => toFamily(name)))
}

/** A long session is split into `<name>.0`, `<name>.1` and so on: these chunks are one family. */
function toFamily(name: string): string {
  return name.replace(/\.\d+$/, "")
}
