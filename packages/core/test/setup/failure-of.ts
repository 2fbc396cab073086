import { Refusal } from "../../src/http/response.js"
import type { ResponseCookie } from "../../src/types/http.js"

export interface Failure {
  /** The thrown error; for a `Refusal`, the error inside. */
  readonly error: Error & { readonly type?: string; readonly cause?: Readonly<Record<string, unknown>> }
  /** The cookies of a `Refusal`; undefined for other errors. */
  readonly cookies: readonly ResponseCookie[] | undefined
}

/** Returns the error of a rejected promise. Throws if the promise is fulfilled. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const [outcome] = await Promise.allSettled([work])
  if (outcome.status === "fulfilled") throw new TypeError("The promise was fulfilled")
  const thrown: unknown = outcome.reason
  const { error, cookies } = thrown instanceof Refusal ? thrown : { error: thrown, cookies: undefined }
  if (!(error instanceof Error)) throw new TypeError("The rejection is not an error")
  return { error: error as Failure["error"], cookies } // AuthErrors have a type, and details as their cause.
}
