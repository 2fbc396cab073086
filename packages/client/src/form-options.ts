import type { WebAuthnAction } from "./webauthn/service.js"

/** Options of a form: where it leads, and whether the browser follows. */
export interface FormOptions<Redirect extends boolean = boolean> {
  /** Where to go afterwards. Default: the current page. */
  readonly redirectTo?: string | undefined
  /** The older name of `redirectTo`. */
  readonly callbackUrl?: string | undefined
  /** False returns the result and stays on the page. Default: true. */
  readonly redirect?: Redirect | undefined
  /** Default: a token is fetched. */
  readonly csrfToken?: string | undefined
}

/** Options of a sign-out. */
export interface SignOutOptions<Redirect extends boolean = boolean> extends FormOptions<Redirect> {
  /**
   * Whether to sign out at the provider too, if the service has the option `providerLogout`. The browser must follow the redirect.
   * Default: as the option says.
   */
  readonly atProvider?: boolean | undefined
}

/** Any other option is a field for the provider, such as `email`, or `username` and `password`. */
export interface SignInOptions<Redirect extends boolean = boolean> extends FormOptions<Redirect> {
  /**
   * With passkeys: whether to sign in with one or to create one, for a new user or for the account that is signed in.
   * Default: the service decides.
   */
  readonly action?: WebAuthnAction | (string & {}) | undefined
  /** With passkeys: stops the request, which then fails with the code `aborted`. */
  readonly signal?: AbortSignal | undefined
  readonly [field: string]: unknown
}
