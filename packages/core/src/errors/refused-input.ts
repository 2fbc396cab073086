import type { ErrorCause } from "./auth-error.js"
import { InvalidRequest } from "./errors.js"
import { because } from "./failure-reason.js"

/** Why input was refused. Public: clients get it. */
interface RefusedInputDetails {
  readonly code?: string | undefined
  /** The name of the field that is wrong. */
  readonly field?: string | undefined
  /** A sentence of the app for the user. */
  readonly reason?: string | undefined
}

/** A field that a person filled in is wrong. The page of its form explains it. */
export class RefusedInput extends InvalidRequest {
  readonly code: string | undefined
  readonly field: string | undefined
  readonly reason: string | undefined

  /** @param cause Why, if more is known than that it was refused. */
  constructor(message: string, { code, field, reason }: RefusedInputDetails, cause?: ErrorCause) {
    super(message, 400, { ...because("input-refused"), ...cause })
    this.code = code
    this.field = field
    this.reason = reason
  }
}
