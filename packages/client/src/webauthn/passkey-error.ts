/**
 * Why nothing came of a passkey request. A new code may join, so that a `switch` over it needs a default.
 *
 * - `cancelled`: the person cancelled it, waited too long, or the device did not find a passkey or did not recognise them.
 *   Browsers do not tell these apart.
 * - `not-allowed`: the page may not ask, as in a frame without the permission policy `publickey-credentials-get` or `-create`.
 * - `already-registered`: this device has a passkey of this account.
 * - `no-authenticator`: nothing on this device makes or uses the kind of passkey that the provider asks for.
 * - `wrong-site`: the relying party's id does not fit the page's address.
 * - `insecure-page`: the page was loaded without https.
 * - `unsupported`: the browser has no passkeys, or no autofill with them.
 * - `network`: the service could not be reached.
 * - `unavailable`: the service offers nothing to sign in with, or did not understand.
 * - `registration-refused`: the service makes no passkey for this person now: the address may belong to an account.
 * - `aborted`: the program stopped it: by its signal, or by beginning another request.
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

const texts: Readonly<Record<PasskeyErrorCode, string>> = {
  cancelled: "That was cancelled, took too long, or did not work on this device. Try again, or choose another way.",
  "not-allowed": "This page may not use passkeys. Open the site in a window of its own and try again.",
  "already-registered": "This device already has a passkey for this account. You can sign in with it.",
  "no-authenticator":
    "This device does not have the kind of passkey that is needed here. Try another device or a security key, or choose another way.",
  "wrong-site": "Passkeys do not work at this address. Open the site by its usual address and try again.",
  "insecure-page": "Passkeys need a secure connection. Open the site with https and try again.",
  unsupported: "This browser cannot use passkeys. Try another browser, or choose another way.",
  network: "The site could not be reached. Check your connection and try again.",
  unavailable: "Passkeys cannot be used right now. Try again in a moment, or choose another way.",
  "registration-refused":
    "No passkey can be created with this. If you have an account, sign in the way you did before and add a passkey there.",
  aborted: "The passkey request was stopped.",
  failed: "The passkey did not work on this device. Try again, or choose another way.",
}

/** Thrown by everything here. `message` can be shown to a person; `cause` is for the developer. */
export class PasskeyError extends Error {
  override readonly name = "PasskeyError"
  readonly code: PasskeyErrorCode

  constructor(code: PasskeyErrorCode, options?: ErrorOptions) {
    super(texts[code], options)
    this.code = code
  }
}
