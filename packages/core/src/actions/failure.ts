import { AuthError } from "../errors/auth-error.js"
import { toError } from "../errors/to-error.js"
import { Refusal } from "../web/refusal.js"
import type { Reply } from "../web/reply.js"

/** What an action threw, as the log and the refusal need it. */
export interface Failure {
  /** What goes to the log. What is not ours is wrapped, so that it has a reference. */
  readonly error: AuthError
  readonly cookies: NonNullable<Reply["cookies"]>
  /** Id of the stored user who was refused, where that is known. */
  readonly userId?: string | undefined
}

export function toFailure(thrown: unknown): Failure {
  const { error, cookies, userId } =
    thrown instanceof Refusal ? thrown : { error: thrown, cookies: [], userId: undefined }
  return { error: error instanceof AuthError ? error : new AuthError(toError(error)), cookies, userId }
}
