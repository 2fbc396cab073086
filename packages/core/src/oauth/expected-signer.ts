import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import type { ProviderServer } from "./endpoints.js"
import type { JsonAnswer } from "./json-object.js"
import { ProviderError } from "./provider-error.js"

const signatures = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/
const secretSignatures = /^HS(?:256|384|512)$/

/** Whether a signature is made with the client's secret. */
export function isSecretAlgorithm(algorithm: string): boolean {
  return secretSignatures.test(algorithm)
}

export interface AlgorithmSources {
  /** Of the host's option. */
  readonly path: string
  /** What the host says. */
  readonly registered: string | undefined
  /** What the provider's metadata says. */
  readonly announced: unknown
  /** Whether the host may declare signatures that are made with the client's secret. */
  readonly isSecretAllowed: boolean
}

/** RS256 unless the host or the metadata says otherwise: OpenID Connect Core 1.0 section 3.1.3.7 (7). */
export function findAlgorithms(sources: AlgorithmSources): readonly string[] {
  const { path, registered, announced, isSecretAllowed } = sources
  if (registered !== undefined) {
    if (signatures.test(registered) || (isSecretAllowed && isSecretAlgorithm(registered))) return [registered]
    throw new ProviderError(`${path}: "${registered}" is not supported`, { code: "algorithm" })
  }
  if (!Array.isArray(announced) || announced.includes("RS256")) return ["RS256"]
  // Announced secret signatures do not count: a public key could be taken for the secret.
  return announced.filter(
    (algorithm): algorithm is string => typeof algorithm === "string" && signatures.test(algorithm),
  )
}

/**
 * The one issuer whose token this may be, as its claims are held against it.
 * @throws ProviderError when there is none.
 */
export function getExpectedIssuer(provider: ResolvedOAuthProvider, server: ProviderServer, claims: JsonAnswer): string {
  const { iss } = claims
  if (!server.hasIssuer && !provider.isIssuer) {
    throw refusal("no-issuer", "The provider needs an issuer, which tokens are compared with")
  }
  const { issuer } = server.metadata
  if (typeof iss === "string" && provider.isIssuer?.(iss, claims) === true) return iss
  // A template for many tenants is the issuer of none.
  if (issuer.includes("{")) throw refusal("wrong-issuer", "The token is of no issuer that the provider accepts")
  return issuer
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code })
}
