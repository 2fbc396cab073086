/**
 * Why a passkey request failed. New codes may be added, so a `switch` needs a default.
 *
 * - `cancelled`: the user canceled or waited too long, or the device found no passkey or did not recognize the user.
 *   Browsers do not tell these apart.
 * - `not-allowed`: the page lacks permission, such as a frame without the permission policy `publickey-credentials-get`
 *   or `publickey-credentials-create`.
 * - `already-registered`: this device has a passkey for this account.
 * - `no-authenticator`: no authenticator on this device supports the kind of passkey that the provider requires.
 * - `wrong-site`: the relying party ID does not match the page's host.
 * - `insecure-page`: the page was loaded without HTTPS.
 * - `unsupported`: the browser does not support passkeys, or their autofill.
 * - `network`: the service could not be reached.
 * - `unavailable`: the service does not offer passkeys, or its response was not understood.
 * - `registration-refused`: the service does not create a passkey for this user: the email may belong to an account.
 * - `aborted`: the request was stopped, by its signal or by a newer request.
 * - `failed`: the device or the browser failed.
 */
export type PasskeyErrorCode =
  | "cancelled"
  | "not-allowed"
  | "already-registered"
  | "no-authenticator"
  | "wrong-site"
  | "insecure-page"
  | "unsupported"
  | "network"
  | "unavailable"
  | "registration-refused"
  | "aborted"
  | "failed"

const messages: Readonly<Record<PasskeyErrorCode, string>> = {
  cancelled: "The request was canceled, timed out, or did not work on this device. Try again, or sign in another way.",
  "not-allowed": "This page is not allowed to use passkeys. Open the site in its own window and try again.",
  "already-registered": "This device already has a passkey for this account. You can sign in with it.",
  "no-authenticator":
    "This device does not support the required kind of passkey. Try another device or a security key, or sign in another way.",
  "wrong-site": "Passkeys do not work at this address. Open the site at its usual address and try again.",
  "insecure-page": "Passkeys require a secure connection. Open the site with https and try again.",
  unsupported: "This browser does not support passkeys. Try another browser, or sign in another way.",
  network: "Could not reach the site. Check your connection and try again.",
  unavailable: "Passkeys are not available right now. Try again in a moment, or sign in another way.",
  "registration-refused":
    "Could not create a passkey. If you have an account, sign in the way you did before and add a passkey there.",
  aborted: "The passkey request was stopped.",
  failed: "The passkey did not work on this device. Try again, or sign in another way.",
}

/** Thrown by all functions for passkeys. `message` can be shown to the user; `cause` is for the developer. */
export class PasskeyError extends Error {
  override readonly name = "PasskeyError"
  readonly code: PasskeyErrorCode

  constructor(code: PasskeyErrorCode, options?: ErrorOptions) {
    super(messages[code], options)
    this.code = code
  }
}

/** By the names of the exceptions of `create()` and `get()`, Web Authentication Level 3, sections 5.1.3 and 5.1.4. */
const codes: ReadonlyMap<string, PasskeyErrorCode> = new Map<string, PasskeyErrorCode>([
  ["AbortError", "aborted"],
  ["ConstraintError", "no-authenticator"],
  ["NotSupportedError", "no-authenticator"],
  ["SecurityError", "wrong-site"],
])

/** Converts what the browser's WebAuthn call threw. */
export function toPasskeyError(cause: unknown, action: "register" | "authenticate"): PasskeyError {
  if (cause instanceof PasskeyError) return cause
  return new PasskeyError(toCode(nameOf(cause), action), { cause })
}

function toCode(name: string, action: "register" | "authenticate"): PasskeyErrorCode {
  if (name === "NotAllowedError") {
    const permission = action === "register" ? "publickey-credentials-create" : "publickey-credentials-get"
    return isAllowed(permission) ? "cancelled" : "not-allowed"
  }
  // Only a registration lists credentials to exclude.
  if (name === "InvalidStateError" && action === "register") return "already-registered"
  return codes.get(name) ?? "failed"
}

/** Without `instanceof`: a password manager may throw an exception of another window. */
function nameOf(cause: unknown): string {
  const hasName = typeof cause === "object" && cause !== null && "name" in cause
  return hasName ? String(cause.name) : ""
}

/** Checks the page's permission policy. True if the browser does not expose it. */
function isAllowed(permission: string): boolean {
  const policy: unknown = Reflect.get(document, "permissionsPolicy") ?? Reflect.get(document, "featurePolicy")
  return !isPolicy(policy) || policy.allowsFeature(permission)
}

function isPolicy(policy: unknown): policy is { allowsFeature(name: string): boolean } {
  return typeof policy === "object" && policy !== null && "allowsFeature" in policy
}
