import { AuthError } from "./auth-error.js"

/** More than one provider has conditional UI. */
export class DuplicateConditionalUI extends AuthError {
  override readonly type = "DuplicateConditionalUI"
}

/** The host's error page itself needs a session. */
export class ErrorPageLoop extends AuthError {
  override readonly type = "ErrorPageLoop"
}

/** A feature is used that `experimental` does not enable. */
export class ExperimentalFeatureNotEnabled extends AuthError {
  override readonly type = "ExperimentalFeatureNotEnabled"
}

/** An option has a value that cannot work. The message begins with the option's path. */
export class InvalidConfiguration extends AuthError {
  override readonly type = "InvalidConfiguration"
}

/** A provider has neither an issuer nor all of its endpoints. */
export class InvalidEndpoints extends AuthError {
  override readonly type = "InvalidEndpoints"
}

/** The configuration needs an adapter. */
export class MissingAdapter extends AuthError {
  override readonly type = "MissingAdapter"
}

/** The adapter lacks methods that the configuration needs. */
export class MissingAdapterMethods extends AuthError {
  override readonly type = "MissingAdapterMethods"
}

/** A credentials provider has no `authorize` callback. */
export class MissingAuthorize extends AuthError {
  override readonly type = "MissingAuthorize"
}

/** There is no secret. */
export class MissingSecret extends AuthError {
  override readonly type = "MissingSecret"
}

/** Conditional UI needs a field whose `autocomplete` contains `webauthn`. */
export class MissingWebAuthnAutocomplete extends AuthError {
  override readonly type = "MissingWebAuthnAutocomplete"
}

/** The session strategy does not fit the providers. */
export class UnsupportedStrategy extends AuthError {
  override readonly type = "UnsupportedStrategy"
}
