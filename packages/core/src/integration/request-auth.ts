import type { AppSession } from "@latchkey/types"
import type { CookieWriter } from "../features/functions.js"
import { serializeCookie } from "../http/cookies.js"
import type { Awaitable } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"
import { readSignInForm, readSignOutForm, signIn, signOut, updateSession } from "./actions.js"
import type { Caller, Settings } from "./config.js"
import { readSession } from "./handler.js"
import type { UserAuth } from "./user-auth.js"

/** The members that read and change the session of the request. */
type SessionMembers = Pick<UserAuth, "session" | "getSession" | "signIn" | "signOut" | "updateSession">

/** Finds the caller of a request and the settings for it. Called by each read and action. */
export type FindCaller = () => Awaitable<{ readonly caller: Caller; readonly settings: Settings }>

/** How a framework sets cookies. */
export interface CookieOptions {
  /** Sets cookies at once. Default: they wait for `takeCookies`. */
  readonly writer?: CookieWriter | undefined
  /**
   * Whether `findCaller` returns the cookies that `writer` has set. Then the session is read anew after an action, and the
   * cookies of a read wait for `takeCookies`. Default: false.
   */
  readonly hasJar?: boolean | undefined
  /** Sets headers at once. Default: they wait for `takeHeaders`. */
  readonly setHeaders?: ((headers: Readonly<Record<string, string>>) => void) | undefined
  /** Whether the response can still set cookies that wait for `takeCookies`. Default: until they are taken. */
  readonly isOpen?: (() => boolean) | undefined
}

/** A request's session and actions, and the cookies that its response has to set. */
export interface RequestState {
  readonly auth: SessionMembers
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
  /** Returns the headers that an action adds to the response, once. Names in lower case. */
  takeHeaders(): Readonly<Record<string, string>>
  /** Sets cookies that have nothing to do with the session: at once, or with the pending ones until they are taken. */
  readonly writer: CookieWriter
}

/** Creates the state of one request. */
export function createRequestState(findCaller: FindCaller, options: CookieOptions = {}): RequestState {
  const pending = createPendingCookies(options)
  let reading: Promise<AppSession | null> | undefined
  let session: AppSession | null = null
  const headers = createPendingHeaders(options)
  /** The result of an action replaces that of a read, even of one that is still running. */
  let actions = 0

  async function read(): Promise<AppSession | null> {
    const before = actions
    const { caller, settings } = await findCaller()
    const answer = await readSession(await pending.withAbility(caller, settings), settings)
    await pending.addMissing(answer.cookies)
    if (before === actions) session = answer.session
    return answer.session
  }

  function settle(result: AppSession | null): void {
    session = result
    // Without a jar, the request still carries the old cookie, which would be read and renewed.
    reading = options.hasJar ? undefined : Promise.resolve(result)
    actions++
  }

  const auth: SessionMembers = {
    get session() {
      return session
    },
    getSession() {
      reading ??= read()
      return reading
    },
    async signIn(given = {}) {
      const { caller, settings } = await findCaller()
      const { url, cookies } = await signIn(caller, settings, isForm(given) ? readSignInForm(given) : given)
      await pending.replace(cookies)
      if (options.hasJar) reading = undefined
      return url
    },
    async signOut(given = {}) {
      const { caller, settings } = await findCaller()
      const answer = await signOut(caller, settings, isForm(given) ? readSignOutForm(given) : given)
      await pending.replace(answer.cookies)
      headers.set(answer.headers ?? {})
      settle(null)
      return answer.url
    },
    async updateSession(data) {
      const { caller, settings } = await findCaller()
      const answer = await updateSession(caller, settings, data)
      await pending.replace(answer.cookies)
      settle(answer.session)
      return answer.session
    },
  }

  const { takeLines: takeCookies, take: takeResponseCookies, writer } = pending
  return { auth, takeCookies, takeResponseCookies, takeHeaders: headers.take, writer }
}

/** By its shape: some servers replace the global class. */
function isForm(options: object): options is FormData {
  return "getAll" in options
}

interface PendingHeaders {
  set(headers: Readonly<Record<string, string>>): void
  take: RequestState["takeHeaders"]
}

function createPendingHeaders({ setHeaders }: CookieOptions): PendingHeaders {
  let pending: Readonly<Record<string, string>> = {}
  return {
    set(headers) {
      if (setHeaders) setHeaders(headers)
      else pending = headers
    },
    take() {
      const taken = pending
      pending = {}
      return taken
    },
  }
}

interface PendingCookies {
  /** Adds the cookies of a read; those of an action stand. */
  addMissing(cookies: readonly ResponseCookie[]): Promise<void>
  /** Adds the cookies of an action, which replace earlier ones. */
  replace(cookies: readonly ResponseCookie[]): Awaitable<void>
  take: RequestState["takeResponseCookies"]
  takeLines: RequestState["takeCookies"]
  readonly writer: CookieWriter
  /** The caller, who is told if no cookies can be set: sessions of other libraries are then only shown. */
  withAbility(caller: Caller, settings: Settings): Awaitable<Caller>
}

function createPendingCookies({ writer, hasJar = false, isOpen = () => true }: CookieOptions): PendingCookies {
  let pending: readonly ResponseCookie[] = []
  let isTaken = false
  const written = new Set<string>()
  function write(cookies: readonly ResponseCookie[]): Awaitable<void> {
    for (const family of toFamilies(cookies)) written.add(family)
    return writer?.write(cookies)
  }
  function replace(cookies: readonly ResponseCookie[]): Awaitable<void> {
    const others = without(pending, toFamilies(cookies))
    pending = writer ? others : [...others, ...cookies]
    return writer && write(cookies)
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
    writer: { canWrite: () => (writer ? writer.canWrite() : !isTaken && isOpen()), write: replace },
    async withAbility(caller, { config }) {
      if (!config.session?.accept || (writer && !hasJar ? await writer.canWrite() : !isTaken && isOpen())) return caller
      return { ...caller, context: { ...caller.context, canSetCookies: false } }
    },
    async addMissing(cookies) {
      const missing = without(without(cookies, toFamilies(pending)), written)
      if (!writer || hasJar) pending = [...pending, ...missing]
      else if (missing.length > 0 && (await writer.canWrite())) await write(missing)
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
