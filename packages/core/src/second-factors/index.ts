// Imported as `@latchkey/core/second-factors`: what a user gives besides the first proof.
export type { TotpSetup } from "./enrollment.js"
export { beginTotp, confirmTotp, createRecoveryCodes, listFactors, removeFactor } from "./manage.js"
export type { ConfirmedTotp, FactorView, TotpConfirmation } from "./own-factors.js"
export { type RecoveryFactor, recoveryCodes } from "./recovery-codes.js"
export { type SecondFactorOptions, secondFactors } from "./second-factors.js"
export type { SecondFactorFacts, SecondFactorKind, SecondFactorRequirement, TrustCallback } from "./tools.js"
export { type TotpFactor, type TotpOptions, totp } from "./totp.js"
