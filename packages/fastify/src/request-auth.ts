import type { Session } from "@latchkey/core"
import { readSession, type SignInRequest, signIn, signOut, updateSession } from "@latchkey/core/integration"
import { type FoundCaller, findCaller, type Settings } from "@latchkey/node"
import type { FastifyRequest } from "fastify"
import { type ContextReader, readArrival } from "./arrival.js"
import { createPendingCookies, type PendingCookies } from "./pending-cookies.js"

/** What a request knows of who sent it. */
export interface RequestAuth {
  /** As `getSession`, `authenticate` or `updateSession` found it; null before any of them was asked. */
  readonly session: Session | null
  /**
   * The session of whoever sent the request; null when nobody is signed in. It is read once for a request, and its
   * renewed cookie goes out with the answer.
   * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
   */
  getSession(): Promise<Session | null>
  /**
   * Begins a sign-in for a form of the app's own; with credentials, completes it. Who has signed in is known with their
   * next request. No csrf token is asked for: the app has to make sure that the form is its own.
   * @returns Where the visitor goes next: `reply.redirect(await request.auth.signIn({ providerId: "github" }), 303)`.
   * @throws AuthError for everything that refuses the sign-in, such as `CredentialsSignin`
   */
  signIn(wish?: SignInRequest): Promise<string>
  /**
   * Ends the session. As `signIn` it asks for no csrf token.
   * @returns Where the visitor goes next.
   * @throws AuthError
   */
  signOut(options?: Pick<SignInRequest, "redirectTo">): Promise<string>
  /**
   * Hands the app's data to its `jwt` and `session` callbacks, and gives the session as it is then.
   * @throws AuthError
   */
  updateSession(data: unknown): Promise<Session | null>
}

declare module "fastify" {
  interface FastifyRequest {
    /** Who sent the request. */
    readonly auth: RequestAuth
  }
}

/** How an app finds out about its requests. */
export interface RequestNeeds {
  findSettings(request: FastifyRequest): Promise<Settings>
  readonly readContext: ContextReader
}

/** What is known to the plugin alone. */
export interface Visitor {
  readonly auth: RequestAuth
  readonly cookies: PendingCookies
  findSettings(): Promise<Settings>
}

export function createVisitor(request: FastifyRequest, needs: RequestNeeds): Visitor {
  const cookies = createPendingCookies()
  let reading: Promise<Session | null> | undefined
  let session: Session | null = null

  async function find(): Promise<FoundCaller> {
    const found = findCaller(request.raw, await needs.findSettings(request), readArrival(request))
    const context = needs.readContext(request, found.settings.config)
    return { ...found, caller: { ...found.caller, context } }
  }

  /** What an action has found out stands, also while a reading is under way. */
  function settle(known: Session | null): void {
    session = known
    reading = Promise.resolve(known)
  }

  async function read(): Promise<Session | null> {
    const { caller, settings } = await find()
    const answer = await readSession(caller, settings)
    cookies.addRenewed(answer.cookies)
    session = answer.session
    return session
  }

  const auth: RequestAuth = {
    get session() {
      return session
    },
    getSession() {
      reading ??= read()
      return reading
    },
    async signIn(wish = {}) {
      const { caller, settings } = await find()
      const { url, cookies: set } = await signIn(caller, settings, wish)
      cookies.replace(set)
      return url
    },
    async signOut(options = {}) {
      const { caller, settings } = await find()
      const { url, cookies: set } = await signOut(caller, settings, options)
      cookies.replace(set)
      settle(null)
      return url
    },
    async updateSession(data) {
      const { caller, settings } = await find()
      const answer = await updateSession(caller, settings, data)
      cookies.replace(answer.cookies)
      settle(answer.session)
      return answer.session
    },
  }
  return { auth, cookies, findSettings: () => needs.findSettings(request) }
}
