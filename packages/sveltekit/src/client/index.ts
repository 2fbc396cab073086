// Imported as `@latchkey/sveltekit/client`.
import { type AuthClient, createAuthClient, sveltekitBasePath } from "@latchkey/client"
import { findAppPath } from "../app-paths.js"

export {
  AuthClientError,
  type AuthClientErrorCode,
  type SignInAuthorizationParams,
  type SignInOptions,
  type SignInResponse,
  type SignInStep,
  type SignOutParams,
} from "@latchkey/client"

const findClient: () => Promise<AuthClient> = /* @__PURE__ */ clientFinder()

/** Without CSRF tokens: SvelteKit checks forms itself, and the service needs no token when browsers send an origin. */
function clientFinder(): () => Promise<AuthClient> {
  let found: Promise<AuthClient> | undefined
  return () => {
    found ??= findAppPath(sveltekitBasePath).then((basePath) => createAuthClient({ basePath, csrf: false }))
    return found
  }
}

/**
 * `signIn` of `@latchkey/client`, for a service at `/auth` below the app's `paths.base`. For another base path use
 * `createAuthClient` of that package.
 */
export const signIn: AuthClient["signIn"] = (async (...args: Parameters<AuthClient["signIn"]>) =>
  (await findClient()).signIn(...args)) as AuthClient["signIn"] // The overloads of one function.

/** `signInWithAutofill` of `@latchkey/client`, at the same base path as `signIn`. */
export const signInWithAutofill: AuthClient["signInWithAutofill"] = async (...args) =>
  (await findClient()).signInWithAutofill(...args)

/** `signOut` of `@latchkey/client`, at the same base path as `signIn`. */
export const signOut: AuthClient["signOut"] = (async (...args: Parameters<AuthClient["signOut"]>) =>
  (await findClient()).signOut(...args)) as AuthClient["signOut"] // As above.

/** `submitCode` of `@latchkey/client`, at the same base path as `signIn`. */
export const submitCode: AuthClient["submitCode"] = (async (...args: Parameters<AuthClient["submitCode"]>) =>
  (await findClient()).submitCode(...args)) as AuthClient["submitCode"] // As above.

/** `getSession` of `@latchkey/client`. On the server call `event.locals.auth()`. */
export const getSession: AuthClient["getSession"] = async () => (await findClient()).getSession()

/** `updateSession` of `@latchkey/client`. Call `invalidateAll()` afterwards, so that pages show the change. */
export const updateSession: AuthClient["updateSession"] = async (data) => (await findClient()).updateSession(data)
