// Imported as `@latchkey/next/v4/credentials`, in place of `next-auth/providers/credentials` of version 4.

import { Credentials as CredentialsOfCore, type CredentialsOptions } from "@latchkey/core/providers/credentials"
import type { Awaitable, CredentialInput, CredentialsConfig, User } from "@latchkey/core/types"

/** The request that `authorize` gets, as plain objects. */
export interface CredentialsRequest {
  /** The submitted fields. */
  readonly body: Readonly<Record<string, string | undefined>>
  /** The query of the URL. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly method: string
}

/** The options of the Credentials provider of version 4. */
export interface CredentialsV4Options<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends Omit<CredentialsOptions<Fields>, "authorize"> {
  /**
   * Returns the user, or null to refuse. Fields that were not sent are empty strings, so that none is undefined. Throw a
   * subclass of `CredentialsSignin` with its own `code` to tell the browser a reason; other errors are logged.
   */
  readonly authorize: (
    credentials: Record<keyof Fields, string> | undefined,
    req: CredentialsRequest,
  ) => Awaitable<User | null>
}

/** The Credentials provider as in version 4: the fields are strings, and the request consists of plain objects. */
export function CredentialsProvider<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>>(
  options: CredentialsV4Options<Fields>,
): CredentialsConfig<Fields> {
  const { authorize } = options
  const declared = Object.fromEntries(Object.keys(options.credentials ?? {}).map((name) => [name, ""]))
  return CredentialsOfCore<Fields>({
    ...options,
    authorize(sent, request) {
      const fields = { ...declared, ...toText(sent) }
      return authorize(fields as Record<keyof Fields, string>, toPlainRequest(request, fields)) // as: all that are declared.
    },
  })
}

export { CredentialsProvider as default }

function toText(sent: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

function toPlainRequest(request: Request, body: Readonly<Record<string, string>>): CredentialsRequest {
  const { searchParams } = new URL(request.url)
  const headers = Object.fromEntries(request.headers)
  return { body, query: Object.fromEntries(searchParams), headers, method: request.method }
}
