import type { AuthError } from "../errors/auth-error.js"
import type { DeveloperDetails } from "../pages/document.js"

/** Replaced by bundlers. Some runtimes have no `process`. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** What the log says about an error: its message and that of its causes, and what `latchkey explain` tells from its reason. */
export async function describeFailure(error: AuthError): Promise<DeveloperDetails> {
  // Where there is no `process`, the page says the rest.
  const story = await findStory(error).catch(() => undefined)
  return { type: error.type, message: error.message, causes: listCauses(error), story }
}

async function findStory(error: AuthError): Promise<DeveloperDetails["story"]> {
  // Written out, so that bundles for production have no stories. Some bundlers keep what follows a `return`.
  if (process.env.NODE_ENV !== "production") {
    const { describeStory } = await import("#stories")
    return describeStory(error)
  }
  return undefined
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
