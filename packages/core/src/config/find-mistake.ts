import type { AuthError } from "../errors/auth-error.js"
import { MissingSecret } from "../errors/configuration.js"
import { UntrustedHost } from "../errors/request.js"
import { findAdapterMistake } from "./adapter-mistakes.js"
import { findOptionMistake } from "./option-mistakes.js"
import { findProviderMistake } from "./provider-mistakes.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** The first thing in a configuration that cannot work, in the order of the contract; null when all is well. */
export function findMistake(config: ResolvedConfig): AuthError | null {
  return (
    findTrustMistake(config) ?? findOptionMistake(config) ?? findProviderMistake(config) ?? findAdapterMistake(config)
  )
}

function findTrustMistake({ trustHost, secrets }: ResolvedConfig): AuthError | null {
  if (!trustHost) {
    return new UntrustedHost(
      "trustHost: the request's host is not trusted. Set AUTH_URL to the app's address, with its https://; or trustHost: true (or AUTH_TRUST_HOST=true), if what stands before this service checks the host header",
    )
  }
  if (secrets.length === 0) {
    return new MissingSecret("secret: there is none. Set AUTH_SECRET to at least 32 random characters")
  }
  return null
}
