/** What the driver tells the app, as JSON in the variable `RUNTIME_TEST`. */
export interface Settings {
  readonly secret: string
  /** The OpenID providers, one for each algorithm, and one whose discovery is slow. */
  readonly providers: readonly ProviderSettings[]
  /** Takes mails: a POST with `{ to, url }`. */
  readonly mailUrl: string
  /** With which other libraries signed their sessions. */
  readonly moved: MovedKeys
}

/** Public keys. */
export interface MovedKeys {
  /** PEM. */
  readonly clerk: string
  /** A JWK. */
  readonly supabase: object
}

/** What the app took over from its time with other libraries. The sessions of the last three are those of packages/import. */
export const moved = {
  nextAuth: "the secret of next-auth 4, 0123456789-abcdef",
  betterAuth: "the secret of Better Auth, 0123456789-abcdef",
  auth0: "the secret of nextjs-auth0, 0123456789-abcdef",
  clerk: "https://clerk.app.test",
  supabase: "https://ref.supabase.co",
  origin: "https://app.test",
  cookieSession: ["newest-express-session-fixture-secret-2", "express-session-fixture-secret-number-1"],
  ironSession: "iron-session-fixture-password-0123456789",
  authkit: "workos-fixture-cookie-password-0123456789",
} as const

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
