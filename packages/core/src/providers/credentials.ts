// Imported as `@latchkey/core/providers/credentials`.

import { withoutAuthorize } from "../methods/credentials/credentials.js"
import type { Optional } from "../types/basics.js"
import type { CredentialInput, CredentialsConfig } from "../types/providers.js"

/** Options of the Credentials provider. */
export type CredentialsOptions<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>> =
  Optional<Omit<CredentialsConfig<Fields>, "type" | "options">>

/**
 * Sign-in with credentials that your app verifies, usually a user name and a password. `authorize` returns the user
 * or null. The service does not store or hash passwords: compare password hashes in constant time.
 * @example
 * Credentials({
 *   credentials: { email: { type: "email" }, password: { type: "password" } },
 *   authorize: ({ email, password }) => findUserByPassword(email, password),
 * })
 */
export function Credentials<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>>(
  options: CredentialsOptions<Fields> = {},
): CredentialsConfig<Fields> {
  return { id: "credentials", name: "Credentials", type: "credentials", authorize: withoutAuthorize, options }
}

export default Credentials
