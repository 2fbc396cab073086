import { type AuthClient, createAuthClient } from "@latchkey/client"
import { findAppPath } from "../app-paths.js"

const findClient: () => Promise<AuthClient> = /* @__PURE__ */ clientFinder()

/** SvelteKit's own check guards forms, and the service asks for no token where a browser says where a form is from. */
function clientFinder(): () => Promise<AuthClient> {
  let found: Promise<AuthClient> | undefined
  return () => {
    found ??= findAppPath("/auth").then((basePath) => createAuthClient({ basePath, csrf: false }))
    return found
  }
}

/**
 * `signIn` of `@latchkey/client`, for a service at `/auth` below the app's `paths.base`. For another base path use its
 * `createAuthClient`.
 */
export const signIn: AuthClient["signIn"] = (async (...args: Parameters<AuthClient["signIn"]>) =>
  (await findClient()).signIn(...args)) as AuthClient["signIn"] // The overloads of one and the same function.

/** `signOut` of `@latchkey/client`, likewise. */
export const signOut: AuthClient["signOut"] = (async (...args: Parameters<AuthClient["signOut"]>) =>
  (await findClient()).signOut(...args)) as AuthClient["signOut"] // As above.

/** `getSession` of `@latchkey/client`, likewise. On the server ask `event.locals.auth()`. */
export const getSession: AuthClient["getSession"] = async () => (await findClient()).getSession()

/** `updateSession` of `@latchkey/client`, likewise. Call `invalidateAll()` afterwards, so that pages show what is new. */
export const updateSession: AuthClient["updateSession"] = async (data) => (await findClient()).updateSession(data)
