import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser"
import { PasskeyError } from "./passkey-error.js"
import type { CeremonyAnswer, OfferedOptions } from "./service.js"
import { toPasskeyError } from "./to-passkey-error.js"

/** Whether this browser and this page can use passkeys. Not whether the person has one: no browser tells that. */
export function supportsPasskeys(): boolean {
  return browserSupportsWebAuthn()
}

/** Whether this browser offers passkeys among what it fills into a field. */
export async function supportsAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill()
}

/** @throws PasskeyError where passkeys cannot be used, before anything is asked */
export function assertSupported(): void {
  if (supportsPasskeys()) return
  throw new PasskeyError(globalThis.isSecureContext === false ? "insecure-page" : "unsupported")
}

export interface CeremonySettings {
  /** Wait in the autofill of a field with `webauthn` in its `autocomplete` instead of asking at once. */
  readonly isAutofill: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Lets the person and the device answer. One ceremony is under way at a time: a new one ends the one before.
 * @throws PasskeyError
 */
export async function holdCeremony(
  { action, options: optionsJSON }: OfferedOptions,
  { isAutofill, signal }: CeremonySettings,
): Promise<CeremonyAnswer> {
  if (signal?.aborted) throw new PasskeyError("aborted", { cause: signal.reason })
  const stop = (): void => WebAuthnAbortService.cancelCeremony()
  signal?.addEventListener("abort", stop)
  try {
    const credential =
      action === "register"
        ? await startRegistration({ optionsJSON })
        : await startAuthentication({ optionsJSON, useBrowserAutofill: isAutofill })
    // The library may ask after the signal came, while it still looks whether there is autofill.
    signal?.throwIfAborted()
    return { action, credential }
  } catch (cause) {
    throw signal?.aborted ? new PasskeyError("aborted", { cause }) : toPasskeyError(cause, action)
  } finally {
    signal?.removeEventListener("abort", stop)
  }
}
