import { type EndpointKind, ProviderError } from "./provider-error.js"

export type JsonAnswer = Record<string, unknown>

export function isObject(value: unknown): value is JsonAnswer {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * The JSON object in an answer with a 2xx status, whatever media type the provider calls it.
 * @throws ProviderError
 */
export async function parseJsonAnswer(response: Response, endpoint: EndpointKind): Promise<JsonAnswer> {
  const { status } = response
  if (!response.ok) {
    throw new ProviderError(`The ${endpoint} endpoint refused`, { code: "refused", endpoint, status })
  }
  const answer = parseJson(await response.text())
  if (isObject(answer)) return answer
  throw new ProviderError(`The ${endpoint} endpoint did not answer a JSON object`, {
    code: "not-json",
    endpoint,
    status,
  })
}

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Which no JSON text means.
  }
}
