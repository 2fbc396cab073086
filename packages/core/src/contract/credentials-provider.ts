import type { Awaitable } from "./awaitable.js"
import type { CommonProvider } from "./common-provider.js"
import type { User } from "./user.js"

/** One field of the built-in form: the attributes of its `input`. */
export interface CredentialInput {
  readonly label?: string
  readonly type?: string
  readonly value?: string
  readonly placeholder?: string
  readonly [attribute: string]: string | number | boolean | undefined
}

/** What a visitor typed: untrusted text by field name. */
export type SubmittedCredentials = Readonly<Partial<Record<string, unknown>>>

/** Signs people in by what the host asks them for, usually a name and a password. */
export interface CredentialsConfig<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProvider {
  readonly type: "credentials"
  readonly credentials?: Fields
  /**
   * Who this is, or null. Throw `CredentialsSignin` to refuse with a code of your own. With stored sessions the
   * returned `id` must be that of a user whom the adapter knows.
   */
  readonly authorize?: (credentials: Partial<Record<keyof Fields, unknown>>, request: Request) => Awaitable<User | null>
  readonly options?: Partial<Omit<CredentialsConfig<Fields>, "type" | "options">>
}
