import type { Session, User } from "@latchkey/types"
import { AuthError, toError } from "../errors/auth-error.js"
import { AccessDenied } from "../errors/errors.js"
import { because, threwIn } from "../errors/failure-reason.js"
import { isHttp } from "../http/origin.js"
import { lazy } from "../runtime/cache.js"
import { isDate } from "../runtime/merge.js"
import { andThen, attempt, rejecting } from "../runtime/promise.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable, Optional } from "../types/basics.js"
import type { CallbacksOptions, JwtParams, SessionCallbackParams, SignInParams } from "../types/callbacks.js"
import type { JWT } from "../types/jwt.js"

/** The callbacks of the configuration, with a default for each that is missing. */
export interface HostCallbacks extends Omit<CallbacksOptions, "session" | "jwt" | "signIn"> {
  /** @param findCurrent Finds the user who gets the account, if one is signed in. The app's callback does not get it. */
  signIn(params: SignInParams, findCurrent?: FindCurrent): Awaitable<boolean | string>
  /** @param request The request that is checked, for the records of sessions. The app's callback does not get it. */
  jwt(params: JwtParams, request?: object): Awaitable<JWT | null>
  /** @param request The same, for what a feature adds to the session. */
  session(params: StrategyParams, request?: object): Awaitable<Session>
}

/** Finds the user of the session in which an account may be added. */
export type FindCurrent = () => Awaitable<AdapterUser | null>

/** The session as this strategy has it: without the columns that only a stored one has. */
interface SharedParams extends Omit<SessionCallbackParams, "session" | "token" | "user"> {
  session: Session & { user: User }
}

/** The actual arguments of the `session` callback: each strategy passes its own half. */
export type StrategyParams =
  | (SharedParams & Pick<SessionCallbackParams, "token">)
  | (SharedParams & Pick<SessionCallbackParams, "user">)

/** Fills in the default callbacks. What those of the app throw goes into the log, so it must not quote what they got. */
export function resolveCallbacks(given: Optional<CallbacksOptions> | undefined): HostCallbacks {
  const call =
    <Params, Result>(name: keyof CallbacksOptions, other: (params: Params) => Awaitable<Result>) =>
    (params: Params): Awaitable<Result> => {
      // as: the name ties it to its parameters. The public type of `session` has both halves, as an app knows its strategy.
      const own = given?.[name] as ((params: Params) => Awaitable<Result>) | undefined
      if (!own) return other(params)
      return attempt(
        () => own.call(given, params),
        async (thrown) => {
          throw await toCleanError(thrown, [params])
        },
      )
    }
  return {
    signIn: call("signIn", () => true),
    redirect: call("redirect", keepSameOrigin),
    jwt: call("jwt", ({ token }: JwtParams) => token),
    session: call("session", toPublicSession),
  }
}

const loadRedact = lazy(() => import("./redact.js"))

/** What code of the app threw, without the texts of its arguments: see `cleanError`. */
export async function toCleanError(thrown: unknown, values: readonly unknown[]): Promise<Error> {
  const { cleanError } = await loadRedact()
  return cleanError(toError(thrown), values)
}

/** Accepts paths and http(s) URLs of this origin; anything else becomes the origin itself. */
function keepSameOrigin({ url, baseUrl }: { readonly url: string; readonly baseUrl: string }): string {
  if (url.startsWith("/")) return `${baseUrl}${url}`
  const parsed = URL.parse(url)
  // The scheme is checked too, because `blob:` URLs have the origin of the page that created them.
  return isHttp(parsed) && parsed.origin === baseUrl ? url : baseUrl
}

/** Copies the fields that a page shows: a token or a stored session may hold more than a browser should see. */
function toPublicSession({ session }: StrategyParams): Session {
  const { name, email, image } = session.user
  const user: User = {}
  if (name !== undefined) user.name = name
  if (email !== undefined) user.email = email
  if (image !== undefined) user.image = image
  return { user, expires: toIso(session.expires) }
}

/** A stored session has the row's `Date`; clients get text. */
function toIso(expires: unknown): string {
  return typeof expires !== "string" && isDate(expires) ? expires.toISOString() : String(expires)
}

/** Asks the `signIn` callback whether a user may sign in. */
export interface Permission {
  /**
   * Null allows the sign-in; a URL redirects there first.
   * @throws AccessDenied if the callback refuses or fails; an AuthError of the callback is rethrown.
   */
  ask(params: SignInParams, findCurrent?: FindCurrent): Awaitable<string | null>
}

/** Creates the permission check of a configuration. */
export function createPermission({ signIn }: Pick<HostCallbacks, "signIn">): Permission {
  return {
    ask: (params, findCurrent) => rejecting(() => andThen(callSignIn(signIn, params, findCurrent), toVerdict)),
  }
}

function callSignIn(
  signIn: HostCallbacks["signIn"],
  ...asked: Parameters<HostCallbacks["signIn"]>
): Awaitable<boolean | string> {
  return attempt<boolean | string>(
    () => signIn(...asked),
    (error) => {
      if (error instanceof AuthError) throw error
      throw new AccessDenied(threwIn("callbacks.signIn", toError(error)))
    },
  )
}

function toVerdict(answer: boolean | string): string | null {
  if (typeof answer === "string" && answer !== "") return answer
  // Callbacks in plain JavaScript may return any truthy value; every falsy one refuses.
  if (answer) return null
  throw new AccessDenied(
    answer === undefined ? "callbacks.signIn returned nothing. End it with: return true" : "callbacks.signIn refused",
    because("sign-in-callback-refused"),
  )
}
