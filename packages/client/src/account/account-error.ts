import { readCompletion, readJson, readString } from "../protocol.js"
import { AuthClientError, type AuthClientErrorCode, unavailable } from "../service.js"

interface AccountErrorOptions {
  readonly status: number
  readonly reason?: string | undefined
  readonly field?: string | undefined
  readonly confirmUrl?: string | undefined
}

/** Why a request about the account failed. */
export class AccountError extends AuthClientError {
  /**
   * What the service says about it: the `code` of the refusal, such as `last-way` or `too-short`, else the type of the error,
   * such as `CurrentPasswordWrong`.
   */
  readonly reason: string | undefined
  /** The field that is wrong, such as `image`. */
  readonly field: string | undefined
  /** With the code `confirm`: the page where the user proves who they are. It leads back here. */
  readonly confirmUrl: string | undefined

  constructor(code: AuthClientErrorCode, message: string, options: AccountErrorOptions) {
    super(code, message, options)
    this.reason = options.reason
    this.field = options.field
    this.confirmUrl = options.confirmUrl
  }
}

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
  const own = readString(content, "code")
  const details = { status, reason: own ?? type, field: readString(content, "field") }
  if (type !== "FreshnessRequired")
    return new AccountError(code, `The service answered with ${details.reason}`, details)
  const confirmUrl = readCompletion(response, content, response.url || location.href)?.target
  return new AccountError("confirm", "The user must prove again who they are", { ...details, confirmUrl })
}
