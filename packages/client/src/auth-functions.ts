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
    const { basePath, baseUrl, fetch, csrf } = given
    const next: ServiceOptions = {
      basePath: basePath ?? options.basePath,
      baseUrl: baseUrl ?? options.baseUrl,
      fetch: fetch ?? options.fetch,
      csrf: csrf ?? options.csrf,
    }
    if (isSame(next, options)) return client
    options = next
    client = createAuthClient(options)
    return client
  }

  /** A function of whichever client is configured by the time of the call. */
  function forward<Name extends keyof AuthClient>(name: Name): AuthClient[Name] {
    // as: the parameters and the result of one function.
    return ((...args: never[]) => (client[name] as (...all: never[]) => unknown)(...args)) as AuthClient[Name]
  }

  return {
    configureAuth,
    currentClient: () => client,
    signIn: forward("signIn"),
    signInWithAutofill: forward("signInWithAutofill"),
    signOut: forward("signOut"),
    submitCode: forward("submitCode"),
    getSession: forward("getSession"),
    updateSession: forward("updateSession"),
    getProviders: forward("getProviders"),
    getCsrfToken: forward("getCsrfToken"),
    onSessionChange: forward("onSessionChange"),
  }
}

function isSame(one: ServiceOptions, other: ServiceOptions): boolean {
  return (["basePath", "baseUrl", "fetch", "csrf"] as const).every((name) => one[name] === other[name])
}

const defaultFunctions: AuthFunctions = /* @__PURE__ */ createAuthFunctions()

/** A call, so that bundlers leave out the functions that a page does not import. */
function pick<Name extends keyof AuthFunctions>(name: Name): AuthFunctions[Name] {
  return defaultFunctions[name]
}

/** Sets where the service is, for all functions of this module; see `AuthFunctions`. */
export const configureAuth: AuthFunctions["configureAuth"] = /* @__PURE__ */ pick("configureAuth")

/** The client that the functions of this module use. */
export const currentClient: AuthFunctions["currentClient"] = /* @__PURE__ */ pick("currentClient")

/** See `AuthClient`. */
export const signIn: AuthClient["signIn"] = /* @__PURE__ */ pick("signIn")

/** See `AuthClient`. */
export const signInWithAutofill: AuthClient["signInWithAutofill"] = /* @__PURE__ */ pick("signInWithAutofill")

/** See `AuthClient`. */
export const signOut: AuthClient["signOut"] = /* @__PURE__ */ pick("signOut")

/** See `AuthClient`. */
export const submitCode: AuthClient["submitCode"] = /* @__PURE__ */ pick("submitCode")

/** See `AuthClient`. */
export const getSession: AuthClient["getSession"] = /* @__PURE__ */ pick("getSession")

/** See `AuthClient`. */
export const updateSession: AuthClient["updateSession"] = /* @__PURE__ */ pick("updateSession")

/** See `AuthClient`. */
export const getProviders: AuthClient["getProviders"] = /* @__PURE__ */ pick("getProviders")

/** See `AuthClient`. */
export const getCsrfToken: AuthClient["getCsrfToken"] = /* @__PURE__ */ pick("getCsrfToken")
