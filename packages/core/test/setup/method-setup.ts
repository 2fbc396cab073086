import { getService } from "../../src/auth.js"
import { resolveConfig } from "../../src/config/resolve.js"
import { resolveCookies } from "../../src/http/own-cookies.js"
import type { MethodDeps } from "../../src/methods/method.js"
import type { AuthConfig } from "../../src/types/config.js"
import { appOrigin } from "./requests.js"

const secret = "a secret of at least thirty-two characters"

/** The collaborators that the service gives to a sign-in method, for a host without an adapter. */
export function methodDeps(host: Partial<AuthConfig> = {}, changes: Partial<MethodDeps> = {}): MethodDeps {
  const given: AuthConfig = { providers: [], secret, trustHost: true, ...host }
  const context = getService(given).contextFor(new URL(appOrigin))
  return {
    ...context,
    config: resolveConfig(given, { isProduction: false }),
    cookies: resolveCookies(undefined, { isSecure: true }),
    store: null,
    allowedOrigins: null,
    accountCredentials: new Set(),
    ...changes,
  }
}
