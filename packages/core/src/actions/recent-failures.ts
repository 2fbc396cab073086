import type { AuthError } from "../errors/auth-error.js"
import type { DeveloperDetails } from "../pages/document.js"
import { BoundedMap } from "../runtime/cache.js"

/** The details of the last failures by reference, for the error page on a developer's own machine. */
export interface RecentFailures {
  remember(error: AuthError): void
  find(reference: string): DeveloperDetails | undefined
}

const maxRecentFailures = 50

/** Keeps nothing in production. */
export function createRecentFailures({ isProduction }: { readonly isProduction: boolean }): RecentFailures {
  const failures = new BoundedMap<string, DeveloperDetails>(maxRecentFailures)
  return {
    remember(error) {
      if (!isProduction) failures.set(error.reference, describeFailure(error))
    },
    find: (reference) => failures.get(reference),
  }
}

/** The message of an error and of its causes. */
export function describeFailure(error: AuthError): DeveloperDetails {
  return { type: error.type, message: error.message, causes: listCauses(error) }
}

const maxCauses = 5

function listCauses(error: AuthError): readonly string[] {
  const causes: string[] = []
  for (let inner = error.cause?.err; inner && causes.length < maxCauses; inner = toInnerError(inner))
    causes.push(inner.message)
  return [...new Set(causes)].filter((text) => text !== "" && text !== error.message)
}

/** The cause of an error: an error, or details with the error as `err`. */
function toInnerError({ cause }: Error): Error | undefined {
  if (cause instanceof Error) return cause
  const err: unknown = typeof cause === "object" && cause !== null && "err" in cause ? cause.err : undefined
  return err instanceof Error ? err : undefined
}
