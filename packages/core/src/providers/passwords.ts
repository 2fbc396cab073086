// Imported as `@latchkey/core/providers/passwords`.

import type { PasswordsOptions } from "../methods/password/options.js"
import { createPasswordProvider } from "../methods/password/password.js"
import type { CredentialsConfig } from "../types/providers.js"

/**
 * Sign-in by email address and password, with sign-up, reset and change. Passwords are hashed with Argon2id and kept by the
 * adapter, which needs `getPassword` and `setPassword`. Brings `trackSessions()` unless `session.track` is set, whose methods
 * the adapter needs, too.
 * @example Passwords({ mail: Resend({ from: "Harbour <no-reply@harbour.example>" }) })
 */
export function Passwords(options: PasswordsOptions): CredentialsConfig {
  return createPasswordProvider(options)
}

export type { AddressedMail, Mailer } from "../mail/own-sender.js"
export type { PasswordsOptions } from "../methods/password/options.js"
export type { SignUpField, SignUpFields, SignUpValues } from "../methods/password/sign-up-fields.js"
export default Passwords
