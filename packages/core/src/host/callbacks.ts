import type { Session } from "@latchkey/types"
import { AuthError, toError } from "../errors/auth-error.js"
import { AccessDenied } from "../errors/errors.js"
import { isHttp } from "../http/origin.js"
import type { Awaitable } from "../types/basics.js"
import type { CallbacksOptions, SessionCallbackParams, SignInParams } from "../types/callbacks.js"

type Either = Omit<SessionCallbackParams, "token" | "user">

/** What the `session` callback really gets: the half that belongs to the strategy. */
type SeenSession = (Either & Pick<SessionCallbackParams, "token">) | (Either & Pick<SessionCallbackParams, "user">)

export interface HostCallbacks extends Omit<CallbacksOptions, "session"> {
  session(params: SeenSession): Awaitable<Session>
}

/** The host's callbacks, with the defaults where it gave none. */
export function resolveCallbacks(given: Partial<CallbacksOptions> | undefined): HostCallbacks {
  return {
    signIn: (params) => (given?.signIn ? given.signIn(params) : true),
    redirect: (params) => (given?.redirect ? given.redirect(params) : keepSameOrigin(params)),
    jwt: (params) => (given?.jwt ? given.jwt(params) : params.token),
    // The host's callback is typed as if both halves were there; it knows which one its strategy has.
    session: (params) => (given?.session ? given.session(params as SessionCallbackParams) : exposeLittle(params)),
  }
}

/** A path is taken as one of this origin; an http(s) URL of this origin is kept; all else leads home. */
function keepSameOrigin({ url, baseUrl }: { readonly url: string; readonly baseUrl: string }): string {
  if (url.startsWith("/")) return `${baseUrl}${url}`
  const parsed = URL.parse(url)
  // `blob:` URLs have the origin of the page that made them, so the scheme is looked at as well.
  return isHttp(parsed) && parsed.origin === baseUrl ? url : baseUrl
}

/** Only what a page shows of a person: a token or a stored session may hold more than a browser should see. */
function exposeLittle({ session }: SeenSession): Session {
  const { name, email, image } = session.user
  const user = {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(image !== undefined && { image }),
  }
  return { user, expires: toIso(session.expires) }
}

/** A stored session carries the row's `Date`; the session that a client sees has text. */
function toIso(expires: unknown): string {
  return expires instanceof Date ? expires.toISOString() : String(expires)
}

/** Asks the host's `signIn` callback whether somebody may come in. */
export interface Permission {
  /**
   * Null: yes. Text: not now, go there first.
   * @throws AccessDenied when the host refuses or its callback fails; an AuthError of the host is thrown on
   */
  ask(params: SignInParams): Promise<string | null>
}

export function createPermission({ signIn }: Pick<HostCallbacks, "signIn">): Permission {
  return {
    async ask(params) {
      const answer = await askHost(signIn, params)
      if (typeof answer === "string" && answer !== "") return answer
      // Hosts in plain JavaScript return whatever is true; whatever is not true refuses.
      if (answer) return null
      throw new AccessDenied("The signIn callback refused")
    },
  }
}

async function askHost(signIn: HostCallbacks["signIn"], params: SignInParams): Promise<boolean | string> {
  try {
    return await signIn(params)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new AccessDenied(toError(error))
  }
}
