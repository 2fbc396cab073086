import { BoundedMap } from "../crypto/bounded-map.js"
import type { AuthError } from "../errors/auth-error.js"
import type { DeveloperDetails } from "../pages/page-frame.js"

/** What the log said of the last few failures, for the developer who looks at the error page on their own machine. */
export interface RecentFailures {
  remember(error: AuthError): void
  find(reference: string): DeveloperDetails | undefined
}

const capacity = 50
const maxCauses = 5

/** For development alone: in production nothing is kept and nothing found. */
export function createRecentFailures({ isProduction }: { readonly isProduction: boolean }): RecentFailures {
  const failures = new BoundedMap<string, DeveloperDetails>(capacity)
  return {
    remember(error) {
      if (!isProduction) failures.set(error.reference, describeFailure(error))
    },
    find: (reference) => failures.get(reference),
  }
}

export function describeFailure(error: AuthError): DeveloperDetails {
  return { type: error.type, message: error.message, causes: listCauses(error) }
}

function listCauses(error: AuthError): readonly string[] {
  const causes: string[] = []
  for (let inner = error.cause?.err; inner && causes.length < maxCauses; inner = toInner(inner))
    causes.push(inner.message)
  return [...new Set(causes)].filter((text) => text !== "" && text !== error.message)
}

function toInner({ cause }: Error): Error | undefined {
  if (cause instanceof Error) return cause
  const err: unknown = typeof cause === "object" && cause !== null && "err" in cause ? cause.err : undefined
  return err instanceof Error ? err : undefined
}
