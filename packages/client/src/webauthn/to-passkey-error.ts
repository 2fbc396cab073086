import { PasskeyError, type PasskeyErrorCode } from "./passkey-error.js"
import type { WebAuthnAction } from "./service.js"

/**
 * By the names that Web Authentication Level 3 gives to what `create()` and `get()` throw, sections 5.1.3 and 5.1.4.
 */
const codes: ReadonlyMap<string, PasskeyErrorCode> = new Map<string, PasskeyErrorCode>([
  ["AbortError", "aborted"],
  ["ConstraintError", "no-authenticator"],
  ["NotSupportedError", "no-authenticator"],
  ["SecurityError", "wrong-site"],
])

const permissions: Readonly<Record<WebAuthnAction, string>> = {
  authenticate: "publickey-credentials-get",
  register: "publickey-credentials-create",
}

/** What a ceremony that failed means for the person. */
export function toPasskeyError(cause: unknown, action: WebAuthnAction): PasskeyError {
  if (cause instanceof PasskeyError) return cause
  return new PasskeyError(toCode(nameOf(cause), action), { cause })
}

function toCode(name: string, action: WebAuthnAction): PasskeyErrorCode {
  if (name === "NotAllowedError") return mayAsk(permissions[action]) ? "cancelled" : "not-allowed"
  // Only a registration knows credentials that it excludes.
  if (name === "InvalidStateError" && action === "register") return "already-registered"
  return codes.get(name) ?? "failed"
}

/** Not by `instanceof`: a password manager may throw something of another window. */
function nameOf(cause: unknown): string {
  const hasName = typeof cause === "object" && cause !== null && "name" in cause
  return hasName ? String(cause.name) : ""
}

/** Whether the page's permission policy lets it ask. True where the browser does not tell. */
function mayAsk(permission: string): boolean {
  const policy: unknown = Reflect.get(document, "permissionsPolicy") ?? Reflect.get(document, "featurePolicy")
  return !isPolicy(policy) || policy.allowsFeature(permission)
}

function isPolicy(policy: unknown): policy is { allowsFeature(name: string): boolean } {
  return typeof policy === "object" && policy !== null && "allowsFeature" in policy
}
