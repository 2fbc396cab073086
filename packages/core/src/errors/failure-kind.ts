/** What a failure is about, for whoever searches a log. */
export const failureKinds = [
  /** The host's adapter failed. */
  "adapter",
  /** A state, a nonce, a code verifier or a challenge is absent, foreign, expired or wrong. */
  "check",
  /** The configuration cannot work. */
  "config",
  /** The host's `authorize` refused. */
  "credentials",
  /** The CSRF token is absent or wrong, or the form is another site's. */
  "csrf",
  /** An event handler of the host failed. The flow went on. */
  "event",
  /** The host that the request names. */
  "host",
  /** A request that cannot be read, or asks for what there is not. */
  "input",
  /** An account or an address belongs to somebody else. */
  "linking",
  /** The host's `signIn` callback refused. */
  "permission",
  /** An identity provider or a mail service failed, or answered what cannot be accepted. */
  "provider",
  /** A budget is spent. */
  "rate-limit",
  /** What has no kind of its own: the host's code, or the service itself. */
  "service",
  /** A session could not be begun, read or ended. */
  "session",
  /** A token of an identity provider is not what it should be. */
  "token",
  /** A `callbackUrl` that is none. */
  "url",
  /** A mailed link. */
  "verification",
  /** A passkey did not verify. */
  "webauthn",
] as const

export type FailureKind = (typeof failureKinds)[number]
