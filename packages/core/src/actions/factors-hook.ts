import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import type { AdapterUser } from "../types/adapter.js"
import type { ActionContext } from "./context.js"

/** A second factor as its user may see it. It holds no secret. */
export interface FactorView {
  /** Identifies the factor for `removeFactor`. */
  readonly id: string
  readonly kind: "totp" | "recovery"
  /** The name that the user gave it. */
  readonly label: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** How many recovery codes are left. Null for other kinds. */
  readonly codesLeft: number | null
}

/** The page of the account area with the second factors. */
export interface FactorPage {
  readonly url: string
  /** The link for a user who does not want to set one up. */
  readonly back: { readonly url: string; readonly text: string }
}

/** The feature with second factors, as the account area uses it. Its user is that of the request's session. */
export interface FactorsHook {
  listFactors(request: AuthRequest, context: ActionContext): Promise<readonly FactorView[] | null>
  /** Whether users can have recovery codes. */
  readonly offersRecovery: boolean
  /**
   * Answers the forms `begin-totp`, `confirm-totp` and `create-recovery-codes` with pages. Other actions: null.
   * @param page The page that has the forms.
   */
  answerFactorForm(request: AuthRequest, context: ActionContext, page: FactorPage): Promise<Reply | null>
  /** False for an id that is not one of the user's. @throws InvalidRequest for the last one where one is required */
  removeFactor(request: AuthRequest, context: ActionContext, id: string): Promise<boolean | null>
  /**
   * Asked before a passkey is removed. Null if it is the last second factor of a user who must have one.
   * @returns what to do afterwards
   */
  guardPasskey(user: AdapterUser, request: AuthRequest, context: ActionContext): Promise<(() => Promise<void>) | null>
}
