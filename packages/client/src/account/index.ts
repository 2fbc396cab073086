// Imported as `@latchkey/client/account`: the account area of the service as stores, for pages of your own.
export { AccountError, type AccountFailure, type RefusalReason } from "./account-error.js"
export type { AccountState, AccountStore, ActionResult } from "./resource.js"
export type {
  Account,
  AccountFactor,
  AccountPasskey,
  AccountSections,
  AccountSession,
  AccountSignInMethod,
  TotpEnrolled,
  TotpSetup,
} from "./shapes.js"
export {
  type AccountActions,
  type AccountStoreOptions,
  type FactorsActions,
  getAccountStore,
  getFactorsStore,
  getSessionsStore,
  type OwnAccountStore,
  type OwnFactorsStore,
  type OwnSessionsStore,
  type SessionsActions,
} from "./stores.js"
