import { AuthError } from "./auth-error.js"

/**
 * Thrown by a host's `authorize` callback to refuse. Subclass it to tell clients more.
 * @example class WrongCode extends CredentialsSignin { override code = "wrong-code" }
 */
export class CredentialsSignin extends AuthError {
  override readonly type = "CredentialsSignin"
  /** Shown in the URL; must not hint at what was wrong (such as which of name and password). */
  code: string = "credentials"
}
