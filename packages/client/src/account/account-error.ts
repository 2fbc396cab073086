import type { ChangeFault, PasswordFault, ServiceErrorType } from "@latchkey/types"
import { readCompletion, readJson, readString } from "../protocol.js"
import { AuthClientError, type AuthClientErrorCode, unavailable } from "../service.js"

interface AccountErrorOptions {
  readonly status: number
  readonly type: ServiceErrorType
  readonly reason?: RefusalReason | undefined
  readonly field?: string | undefined
  readonly confirmUrl?: string | undefined
}

/** Why a change of the account or a new password was refused. New reasons may be added, so a `switch` needs a default. */
export type RefusalReason = ChangeFault | PasswordFault

/** Why a request about the account failed. */
export class AccountError extends AuthClientError {
  /** The type of the service's error, such as `CurrentPasswordWrong`. */
  readonly type: ServiceErrorType
  /** With the types `ChangeRefused` and `PasswordRefused`: why, such as `last-sign-in-method` or `too-short`. */
  readonly reason: RefusalReason | undefined
  /** The field that is wrong, such as `image`. */
  readonly field: string | undefined
  /** With the code `confirm`: the page where the user re-authenticates. It leads back here. */
  readonly confirmUrl: string | undefined

  constructor(code: AuthClientErrorCode, message: string, options: AccountErrorOptions) {
    super(code, message, options)
    this.type = options.type
    this.reason = options.reason
    this.field = options.field
    this.confirmUrl = options.confirmUrl
  }
}

/** Why a request or an action failed, told apart by `code`. */
export type AccountFailure =
  | (AuthClientError & { readonly code: "network" | "unavailable" })
  | (AccountError & { readonly code: "confirm"; readonly confirmUrl: string })
  | (AccountError & { readonly code: "refused" | "gone" | "limited" | "signed-out" })

const codes: Readonly<Record<number, AuthClientErrorCode>> = {
  400: "refused",
  401: "signed-out",
  403: "refused",
  404: "gone",
  429: "limited",
}

/** The content of a successful response. @throws AuthClientError */
export async function readAnswer(response: Response): Promise<object> {
  const content = await readJson(response)
  if (response.ok && typeof content === "object" && content !== null) return content
  throw toError(response, content)
}

function toError(response: Response, content: unknown): AuthClientError {
  const { status } = response
  const type = readString(content, "error")
  const code = codes[status]
  // Without a type, the response does not come from the account area.
  if (type === undefined || code === undefined || type === "UnknownAction") return unavailable(response)
  const details = {
    status,
    // as: what the service sends. A newer service may send others.
    type: type as ServiceErrorType,
    reason: readString(content, "code") as RefusalReason | undefined,
    field: readString(content, "field"),
  }
  if (type !== "FreshnessRequired") {
    return new AccountError(
      code,
      `The service answered with ${[type, details.reason].filter(Boolean).join(": ")}`,
      details,
    )
  }
  const confirmUrl = readCompletion(response, content, response.url || location.href)?.target
  if (confirmUrl === undefined) return unavailable(response)
  return new AccountError("confirm", "The user must re-authenticate", { ...details, confirmUrl })
}
