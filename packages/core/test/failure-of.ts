import { Refusal } from "../src/http/response.js"
import type { ResponseCookie } from "../src/types/http.js"

export interface FailedWork {
  /** What it failed with; of a refusal, the error inside. */
  readonly error: Error & { readonly type?: string; readonly cause?: Readonly<Record<string, unknown>> }
  /** What a refusal sets all the same; undefined when it was none. */
  readonly cookies: readonly ResponseCookie[] | undefined
}

/** The failure of a promise. Throws if it fulfills. */
export async function failureOf(work: Promise<unknown>): Promise<FailedWork> {
  const [outcome] = await Promise.allSettled([work])
  if (outcome.status === "fulfilled") throw new TypeError("The promise was fulfilled")
  const thrown: unknown = outcome.reason
  const { error, cookies } = thrown instanceof Refusal ? thrown : { error: thrown, cookies: undefined }
  if (!(error instanceof Error)) throw new TypeError("The thrown value is not an error")
  return { error: error as FailedWork["error"], cookies } // Errors of ours have a type, and details as cause.
}
