import type { RegisteredClient } from "./client.js"

/** Authorization requests that apps handed over, each found once. */
export interface PushedRequests {
  /** The reference, which lives for a minute. */
  keep(client: RegisteredClient, params: URLSearchParams): string
  /** Finds and removes. Null when unknown, spent, expired or of another app. */
  spend(reference: string, clientId: string | null): URLSearchParams | null
}

/** Seconds. */
export const pushedRequestSeconds = 60

interface Kept {
  readonly clientId: string
  readonly params: URLSearchParams
  readonly expiresAtMs: number
}

export function createPushedRequests(): PushedRequests {
  const kept = new Map<string, Kept>()
  return {
    keep({ client_id: clientId }, params) {
      const reference = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`
      kept.set(reference, { clientId, params, expiresAtMs: Date.now() + pushedRequestSeconds * 1000 })
      return reference
    },
    spend(reference, clientId) {
      const found = kept.get(reference)
      kept.delete(reference)
      return found && found.clientId === clientId && found.expiresAtMs > Date.now() ? found.params : null
    },
  }
}
