// Imported as `@latchkey/core/second-factors`: second factors, and functions for the app's own pages.
export type { FactorView } from "../feature.js"
export type { RememberOptions } from "./devices.js"
export type { TotpSetup } from "./enrollment.js"
export {
  beginTotp,
  confirmTotp,
  createRecoveryCodes,
  importFactor,
  importRecoveryCodes,
  listFactors,
  removeFactor,
} from "./manage.js"
export type { ConfirmedTotp, TotpConfirmation } from "./own-factors.js"
export { type RecoveryFactor, recoveryCodes } from "./recovery-codes.js"
export { type SecondFactorOptions, secondFactors } from "./second-factors.js"
export {
  type PasskeyFactor,
  passkeyFactor,
  type SecondFactorFacts,
  type SecondFactorKind,
  type SecondFactorRequirement,
  type TrustCallback,
} from "./tools.js"
export { type ImportedTotp, type TotpFactor, type TotpOptions, totp } from "./totp.js"
