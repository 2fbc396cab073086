import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser"
import { followSignals } from "../service.js"
import { PasskeyError, toPasskeyError } from "./passkey-error.js"
import type { CeremonyOptions, CeremonyResult, WebAuthnService } from "./service.js"

/** Whether this browser and this page support passkeys. No browser tells whether the user has one. */
export function supportsPasskeys(): boolean {
  return browserSupportsWebAuthn()
}

/** Whether this browser offers passkeys in the autofill of a field. */
export async function supportsAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill()
}

/** @throws PasskeyError if passkeys are not supported here */
export function assertSupported(): void {
  if (supportsPasskeys()) return
  throw new PasskeyError(globalThis.isSecureContext === false ? "insecure-page" : "unsupported")
}

interface CeremonySettings {
  /** Wait in the autofill of a field with `webauthn` in its `autocomplete` instead of prompting. */
  readonly isAutofill: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs the browser's WebAuthn call. A new ceremony cancels the previous one.
 * @throws PasskeyError
 */
export async function runCeremony(
  { action, options: optionsJSON }: CeremonyOptions,
  { isAutofill, signal }: CeremonySettings,
): Promise<CeremonyResult> {
  if (signal?.aborted) throw new PasskeyError("aborted", { cause: signal.reason })
  const cancel = (): void => WebAuthnAbortService.cancelCeremony()
  signal?.addEventListener("abort", cancel)
  try {
    const credential =
      action === "register"
        ? await startRegistration({ optionsJSON })
        : await startAuthentication({ optionsJSON, useBrowserAutofill: isAutofill })
    // The library may prompt after an abort, if the abort came while it was checking for autofill.
    signal?.throwIfAborted()
    return { action, credential }
  } catch (cause) {
    throw signal?.aborted ? new PasskeyError("aborted", { cause }) : toPasskeyError(cause, action)
  } finally {
    signal?.removeEventListener("abort", cancel)
  }
}

/** The browser's autofill for passkeys. */
export interface Autofill {
  /**
   * Waits until the user chooses a passkey. A page may stay open longer than a challenge is valid, so the options are
   * replaced in time.
   * @throws PasskeyError
   */
  wait(providerId: string, signal: AbortSignal | undefined): Promise<CeremonyResult>
  /** Cancels waiting, including a wait whose options are still being requested. */
  cancel(): void
}

/** Used if the options have no timeout: the default that Web Authentication Level 3 recommends, section 5.4. */
const defaultTimeoutMs = 300_000
/** Options are replaced after this share of their timeout, so that the user has time to respond. */
const refreshShare = 0.8

export function createAutofill(service: WebAuthnService): Autofill {
  const waiting = new Set<AbortController>()
  return {
    wait: async (providerId, signal) => {
      const controller = followSignals([signal])
      // Added before the first await, so that it can be canceled from now on.
      waiting.add(controller)
      try {
        if (!(await supportsAutofill())) throw new PasskeyError("unsupported")
        const request = (): Promise<CeremonyOptions> =>
          service.requestOptions(providerId, { action: "authenticate" }, controller.signal)
        return await waitForResult(request, controller.signal)
      } finally {
        waiting.delete(controller)
      }
    },
    cancel: () => {
      for (const controller of waiting) controller.abort()
    },
  }
}

async function waitForResult(request: () => Promise<CeremonyOptions>, signal: AbortSignal): Promise<CeremonyResult> {
  while (true) {
    const result = await waitUntilStale(await request(), signal)
    if (result) return result
    await untilVisible(signal)
  }
}

const stale = "The options are too old"

/** Null if the options became too old. */
async function waitUntilStale(options: CeremonyOptions, signal: AbortSignal): Promise<CeremonyResult | null> {
  const controller = followSignals([signal])
  // A timer with a longer delay fires at once.
  const freshMs = Math.min((options.options.timeout ?? defaultTimeoutMs) * refreshShare, 2 ** 31 - 1)
  const timer = setTimeout(() => controller.abort(stale), freshMs)
  try {
    return await runCeremony(options, { isAutofill: true, signal: controller.signal })
  } catch (error) {
    if (controller.signal.reason === stale) return null
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** A hidden page requests no options: the service keeps only a few challenges for each browser. */
function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState !== "hidden") return resolve()
    document.addEventListener("visibilitychange", () => resolve(), { once: true })
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
