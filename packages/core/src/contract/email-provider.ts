import type { Awaitable } from "./awaitable.js"
import type { CommonProvider } from "./common-provider.js"
import type { customFetch } from "./markers.js"
import type { Theme } from "./theme.js"

/** What the host's send function is given. The link is `url`; nothing else needs to be in the mail. */
export interface VerificationRequestParams {
  /** The normalised address. */
  readonly identifier: string
  readonly url: string
  readonly expires: Date
  readonly provider: EmailConfig
  /** The secret that `url` carries. Never log it. */
  readonly token: string
  readonly theme: Theme
  readonly request: Request
}

/** Signs people in by a link that is sent to their address. */
export interface EmailConfig extends CommonProvider {
  readonly type: "email"
  /** How long a link works, in seconds. Default: 86400. */
  readonly maxAge?: number
  readonly from?: string
  /** Where mail is handed over; what it holds depends on the sender. */
  readonly server?: unknown
  /** Key of a sender over HTTP. Default: `AUTH_<ID>_KEY`. */
  readonly apiKey?: string
  /** Hashes tokens instead of the service's secret. */
  readonly secret?: string
  /** Default: 32 random bytes in hexadecimal. */
  readonly generateVerificationToken?: () => Awaitable<string>
  /** Default: one plain address in lower case. Throws when there is none. */
  readonly normalizeIdentifier?: (identifier: string) => string
  readonly sendVerificationRequest: (params: VerificationRequestParams) => Awaitable<unknown>
  readonly style?: { readonly brandColor?: string; readonly logo?: string }
  /** Calls the mail service of a sender over HTTP. Default: the platform's `fetch`. */
  readonly [customFetch]?: typeof fetch
  readonly options?: EmailUserConfig
}

/** What a host passes to a factory: any field of the provider except its type. */
export type EmailUserConfig = Partial<Omit<EmailConfig, "type" | "options">>
