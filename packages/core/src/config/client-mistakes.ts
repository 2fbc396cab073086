import { InvalidConfiguration } from "../errors/configuration.js"
import type { ResolvedOAuthProvider } from "./resolved-provider.js"

/**
 * What of the way in which this app calls a provider cannot work: how it proves who it is, and what it lets answers
 * cost.
 */
export function findClientMistake(provider: ResolvedOAuthProvider, path: string): InvalidConfiguration | null {
  const sentence = findMethodMistake(provider) ?? findNumberMistake(provider)
  return sentence === null ? null : new InvalidConfiguration(`${path}.${sentence}`)
}

const methods = ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"]

function findMethodMistake({ client, token }: ResolvedOAuthProvider): string | null {
  const method = client?.token_endpoint_auth_method
  if (method !== undefined && !methods.includes(method)) {
    return `client.token_endpoint_auth_method: only ${methods.join(", ")}`
  }
  const isKeyMissing = method === "private_key_jwt" && !token.clientPrivateKey
  return isKeyMissing ? "token.clientPrivateKey: private_key_jwt needs one" : null
}

function findNumberMistake({ clockToleranceSeconds, answerLimits }: ResolvedOAuthProvider): string | null {
  const numbers = [
    ["clockToleranceSeconds", clockToleranceSeconds, 0, 60],
    ["answerLimits.seconds", answerLimits?.seconds, 0.001, 60],
    ["answerLimits.bytes", answerLimits?.bytes, 1024, 16 * 1024 * 1024],
  ] as const
  for (const [name, value, least, most] of numbers) {
    if (value === undefined || (typeof value === "number" && value >= least && value <= most)) continue
    return `${name}: must be a number from ${least} to ${most}`
  }
  return null
}
