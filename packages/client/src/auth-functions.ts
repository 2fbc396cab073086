import { type AuthClient, createAuthClient } from "./auth-client.js"
import type { ServiceOptions } from "./service.js"

/** A client whose functions can be imported before anybody said where the service is. */
export interface AuthFunctions extends AuthClient {
  /**
   * Says where the service is. Call it once, before anything is asked; what is left out stays as it was.
   * @example configureAuth({ basePath: "/api/auth" })
   */
  configureAuth(options: ServiceOptions): AuthClient
  /** The client behind the functions. */
  currentClient(): AuthClient
}

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
