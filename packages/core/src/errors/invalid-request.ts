import { AuthError, type ErrorCause } from "./auth-error.js"

/** 405, 413 and 414 are RFC 9110 section 15.5, 431 is RFC 6585 section 5. */
export type RefusalStatus = 400 | 405 | 413 | 414 | 431

/** A body, query, header or field that cannot be read. Answered with a status, not with a page. */
export class InvalidRequest extends AuthError {
  override readonly type = "InvalidRequest"
  readonly status: RefusalStatus

  /** @param cause `allow`: the methods that would have been answered, for the header of that name. */
  constructor(message: string, status: RefusalStatus = 400, cause?: ErrorCause) {
    super(message, cause)
    this.status = status
  }
}
