"use client"

// Imported as `@latchkey/react/account`.
export { AuthClientError, type AuthClientErrorCode } from "@latchkey/client"
export {
  type Account,
  type AccountActions,
  AccountError,
  type AccountFactor,
  type AccountFailure,
  type AccountPasskey,
  type AccountSections,
  type AccountSession,
  type AccountSignInMethod,
  type ActionResult,
  type FactorsActions,
  type RefusalReason,
  type SessionsActions,
  type TotpEnrolled,
  type TotpSetup,
} from "@latchkey/client/account"
export { type UsedAccount, useAccount, useFactors, useSessions } from "./account.js"
