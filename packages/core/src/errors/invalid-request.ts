import { AuthError } from "./auth-error.js"

/** 413 is RFC 9110 section 15.5.14, 431 is RFC 6585 section 5. */
export type RefusalStatus = 400 | 413 | 431

/** A body, query, header or field that cannot be read. Answered with a status, not with a page. */
export class InvalidRequest extends AuthError {
  override readonly type = "InvalidRequest"
  readonly status: RefusalStatus

  constructor(message: string, status: RefusalStatus = 400) {
    super(message)
    this.status = status
  }
}
