/** The host's own pages, as paths or URLs. A page that is not given is the built-in one. */
export interface PagesOptions {
  /** Receives `callbackUrl` and, after a failure, `error` (and `code`) in the query. */
  signIn: string
  signOut: string
  /** Receives `error` in the query. */
  error: string
  verifyRequest: string
  /** Where a person goes after the very first sign-in. */
  newUser: string
}
