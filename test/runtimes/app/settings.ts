/** What the driver tells the app, as JSON in the variable `RUNTIME_TEST`. */
export interface Settings {
  readonly secret: string
  /** The OpenID providers, one for each algorithm, and one whose discovery is slow. */
  readonly providers: readonly ProviderSettings[]
  /** Takes mails: a POST with `{ to, url }`. */
  readonly mailUrl: string
}

export interface ProviderSettings {
  readonly id: string
  readonly type: "oidc" | "oauth"
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The algorithm of the ID tokens. */
  readonly alg: string
}

/** The user of the credentials provider. */
export const user = { username: "ada", password: "correct horse", name: "Ada Lövelace 🔑" } as const
