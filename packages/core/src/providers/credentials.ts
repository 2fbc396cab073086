// Imported as `@latchkey/core/providers/credentials`.

import type { CredentialInput, CredentialsConfig } from "../types/providers.js"

export type CredentialsOptions<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>> =
  Partial<Omit<CredentialsConfig<Fields>, "type" | "options">>

/**
 * Sign-in by what the host asks for, usually a name and a password. `authorize` is the host's: it says who this is, or
 * null. Nothing is stored, counted or hashed here: compare password hashes in constant time.
 * @example
 * Credentials({
 *   credentials: { email: { type: "email" }, password: { type: "password" } },
 *   authorize: ({ email, password }) => findUserByPassword(email, password),
 * })
 */
export function Credentials<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>>(
  options: CredentialsOptions<Fields> = {},
): CredentialsConfig<Fields> {
  return { id: "credentials", name: "Credentials", type: "credentials", options }
}

export default Credentials
