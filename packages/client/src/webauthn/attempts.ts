import type { Completion } from "../completion.js"
import { type Autofill, createAutofill } from "./autofill.js"
import { assertSupported, holdCeremony } from "./ceremony.js"
import { type CeremonyAnswer, type Fields, type WebAuthnAction, webAuthnService } from "./service.js"

/** What one try to sign in is made of. */
export interface Attempt {
  readonly providerId: string
  /** Fields of the provider's form, and a `csrfToken` where one is at hand. */
  readonly fields: Fields
  /** Where to go afterwards. */
  readonly callbackUrl: string
  readonly signal: AbortSignal | undefined
}

export interface AskedAttempt extends Attempt {
  /** Undefined lets the service decide. */
  readonly action: WebAuthnAction | undefined
  /** Query of the request that ends it. */
  readonly parameters: Fields
}

/** Everything between a wish to sign in and the answer of the service. One attempt is under way at a time. */
export interface Attempts {
  /** Asks the person at once. @throws PasskeyError */
  ask(attempt: AskedAttempt): Promise<Completion>
  /**
   * Waits in the browser's autofill.
   * @param onAnswer called when a passkey was chosen, before the service is asked
   * @throws PasskeyError
   */
  wait(attempt: Attempt, onAnswer: () => void): Promise<Completion>
}

/** @param basePath path or URL below which the service answers */
export function createAttempts(basePath: string): Attempts {
  const service = webAuthnService(basePath.replace(/\/+$/, ""))
  const autofill: Autofill = createAutofill(service)
  const finish = (answer: CeremonyAnswer, attempt: Attempt, parameters: Fields): Promise<Completion> => {
    const { providerId, fields, callbackUrl } = attempt
    return service.complete(providerId, answer, { fields: { ...fields, callbackUrl }, parameters })
  }
  return {
    ask: async ({ action, parameters, ...attempt }) => {
      assertSupported()
      autofill.end()
      const { providerId, fields, signal } = attempt
      const { csrfToken: _, ...known } = fields
      const offer = await service.requestOptions(providerId, { ...known, ...(action && { action }) }, signal)
      return finish(await holdCeremony(offer, { isAutofill: false, signal }), attempt, parameters)
    },
    wait: async (attempt, onAnswer) => {
      const answer = await autofill.wait(attempt.providerId, attempt.signal)
      onAnswer()
      return finish(answer, attempt, {})
    },
  }
}
