import { type AuthClient, createAuthClient } from "./auth-client.js"
import type { ServiceOptions } from "./service.js"

/** A client whose functions can be imported before `configureAuth` is called. */
export interface AuthFunctions extends AuthClient {
  /**
   * Sets where the service is, for all functions of the module. Call it once, before any request. Options that you
   * leave out keep their value.
   * @example configureAuth({ basePath: "/api/auth" })
   */
  configureAuth(options: ServiceOptions): AuthClient
  /** The client that the functions use. */
  currentClient(): AuthClient
}

/** Creates functions with a `configureAuth` of their own, for packages that build on this one. */
export function createAuthFunctions(defaults: ServiceOptions = {}): AuthFunctions {
  let options = defaults
  let client = createAuthClient(options)

  function configureAuth(given: ServiceOptions): AuthClient {
    const next = { ...options, ...given }
    if (isSame(next, options)) return client
    options = next
    client = createAuthClient(options)
    return client
  }

  return {
    configureAuth,
    currentClient: () => client,
    signIn: ((...args: Parameters<AuthClient["signIn"]>) => client.signIn(...args)) as AuthClient["signIn"],
    signOut: ((...args: Parameters<AuthClient["signOut"]>) => client.signOut(...args)) as AuthClient["signOut"],
    submitCode: ((...args: Parameters<AuthClient["submitCode"]>) =>
      client.submitCode(...args)) as AuthClient["submitCode"],
    getSession: () => client.getSession(),
    updateSession: (data) => client.updateSession(data),
    getProviders: () => client.getProviders(),
    getCsrfToken: () => client.getCsrfToken(),
    onSessionChange: (listener) => client.onSessionChange(listener),
  }
}

function isSame(one: ServiceOptions, other: ServiceOptions): boolean {
  return (["basePath", "baseUrl", "fetch", "csrf"] as const).every((name) => one[name] === other[name])
}

const defaultFunctions: AuthFunctions = /* @__PURE__ */ createAuthFunctions()

/** Sets where the service is, for all functions of this module; see `AuthFunctions`. */
export const configureAuth: AuthFunctions["configureAuth"] = defaultFunctions.configureAuth

/** The client that the functions of this module use. */
export const currentClient: AuthFunctions["currentClient"] = defaultFunctions.currentClient

/** See `AuthClient`. */
export const signIn: AuthClient["signIn"] = defaultFunctions.signIn

/** See `AuthClient`. */
export const signOut: AuthClient["signOut"] = defaultFunctions.signOut

/** See `AuthClient`. */
export const submitCode: AuthClient["submitCode"] = defaultFunctions.submitCode

/** See `AuthClient`. */
export const getSession: AuthClient["getSession"] = defaultFunctions.getSession

/** See `AuthClient`. */
export const updateSession: AuthClient["updateSession"] = defaultFunctions.updateSession

/** See `AuthClient`. */
export const getProviders: AuthClient["getProviders"] = defaultFunctions.getProviders

/** See `AuthClient`. */
export const getCsrfToken: AuthClient["getCsrfToken"] = defaultFunctions.getCsrfToken
