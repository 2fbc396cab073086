import { holdCeremony, supportsAutofill } from "./ceremony.js"
import { PasskeyError } from "./passkey-error.js"
import type { CeremonyAnswer, OfferedOptions, WebAuthnService } from "./service.js"

/** How long options are good for when they do not say so: what Web Authentication Level 3 recommends, section 5.4. */
const usualTimeoutMs = 300_000

/** The share of that time after which new ones are asked for, so that the person still has time to answer. */
const freshShare = 0.8

/** Autofill that waits until it is answered or ended. */
export interface Autofill {
  /**
   * The page may stay open for long, a challenge does not live as long: it is replaced in time.
   * @throws PasskeyError
   */
  wait(providerId: string, signal: AbortSignal | undefined): Promise<CeremonyAnswer>
  /** Ends what waits, so that it cannot end another request by beginning later. */
  end(): void
}

export function createAutofill(service: WebAuthnService): Autofill {
  const waiting = new Set<AbortController>()
  return {
    wait: async (providerId, signal) => {
      const ending = followedBy(signal)
      // Before anything is waited for, so that it can be ended from now on.
      waiting.add(ending)
      try {
        if (!(await supportsAutofill())) throw new PasskeyError("unsupported")
        return await waitForAnswer(() => service.requestOptions(providerId, query, ending.signal), ending.signal)
      } finally {
        waiting.delete(ending)
      }
    },
    end: () => {
      for (const ending of waiting) ending.abort()
    },
  }
}

const query = { action: "authenticate" } as const

async function waitForAnswer(request: () => Promise<OfferedOptions>, signal: AbortSignal): Promise<CeremonyAnswer> {
  while (true) {
    const answer = await waitUntilStale(await request(), signal)
    if (answer) return answer
    await untilVisible(signal)
  }
}

/** Null when the options have become too old without an answer. */
async function waitUntilStale(offer: OfferedOptions, signal: AbortSignal): Promise<CeremonyAnswer | null> {
  const ageing = followedBy(signal)
  const freshMs = (offer.options.timeout ?? usualTimeoutMs) * freshShare
  const timer = setTimeout(() => ageing.abort(tooOld), freshMs)
  try {
    return await holdCeremony(offer, { isAutofill: true, signal: ageing.signal })
  } catch (error) {
    if (ageing.signal.reason === tooOld) return null
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const tooOld = "The options have become too old"

/** A page that nobody sees asks for nothing: the service keeps few challenges for one browser. */
function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState !== "hidden") return resolve()
    document.addEventListener("visibilitychange", () => resolve(), { once: true })
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

/** Aborts when the signal does, or by itself. `AbortSignal.any` is younger than some browsers that have autofill. */
function followedBy(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController()
  if (signal?.aborted) controller.abort(signal.reason)
  signal?.addEventListener("abort", () => controller.abort(signal.reason), { signal: controller.signal })
  return controller
}
