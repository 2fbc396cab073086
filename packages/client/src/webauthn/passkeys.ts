import type { SignInOptions } from "../form-options.js"
import { type Completion, followCompletion, type Query, type SignInResponse, withoutError } from "../protocol.js"
import type { Service } from "../service.js"
import type { SessionChanges } from "../session-changes.js"
import { assertSupported, createAutofill, runCeremony } from "./ceremony.js"
import { type CeremonyResult, type Fields, type WebAuthnAction, webAuthnService } from "./service.js"

/** Options of `signInWithAutofill`. */
export type AutofillOptions = Pick<
  SignInOptions,
  "redirectTo" | "callbackUrl" | "redirect" | "signal" | "csrfToken"
> & {
  /**
   * Called when the user has chosen a passkey, before the result is sent to the service, so that the page can show
   * progress.
   */
  readonly onAnswer?: (() => void) | undefined
}

/** Sign-in with passkeys at one service. All functions throw `PasskeyError`. */
export interface Passkeys {
  signIn(providerId: string, options: SignInOptions, query: Query): Promise<SignInResponse | undefined>
  signInWithAutofill(providerId: string, options?: AutofillOptions): Promise<SignInResponse | undefined>
}

/** Loads the code for passkeys, the first time. */
export type PasskeyLoader = () => Promise<Passkeys>

export function createPasskeys(service: Service, changes: SessionChanges): Passkeys {
  const attempts = createAttempts(service)
  const finish = (
    completion: Completion,
    options: { readonly redirect?: boolean | undefined },
  ): SignInResponse | undefined => {
    if (completion.response.error === undefined) changes.publish(undefined, options)
    return followCompletion(completion, options)
  }
  return {
    signIn: async (providerId, options, query) => {
      // as: any other text is refused by the service.
      const action = options.action as WebAuthnAction | undefined
      return finish(await attempts.prompt({ ...toAttempt(providerId, options), action, query }), options)
    },
    signInWithAutofill: async (providerId, options = {}) => {
      const { onAnswer = () => undefined, ...rest } = options
      return finish(await attempts.waitForAutofill(toAttempt(providerId, rest), onAnswer), rest)
    },
  }
}

const ownOptions: ReadonlySet<string> = new Set(["action", "redirectTo", "callbackUrl", "redirect", "signal"])

function toAttempt(providerId: string, options: SignInOptions): Attempt {
  const fields = Object.entries(options).flatMap(([name, value]) =>
    ownOptions.has(name) || typeof value !== "string" ? [] : [[name, value] as const],
  )
  return {
    providerId,
    fields: Object.fromEntries(fields),
    callbackUrl: options.redirectTo ?? options.callbackUrl ?? location.href,
    signal: options.signal,
  }
}

/** One attempt to sign in. */
export interface Attempt {
  readonly providerId: string
  /** Fields of the provider's form, and a `csrfToken` if the page has one. */
  readonly fields: Fields
  /** Where to go afterwards. */
  readonly callbackUrl: string
  readonly signal: AbortSignal | undefined
}

interface PromptedAttempt extends Attempt {
  /** Undefined lets the service decide. */
  readonly action: WebAuthnAction | undefined
  /** Of the request that completes the sign-in. */
  readonly query: Query
}

/** Runs the ceremony and completes the sign-in at the service, one attempt at a time. */
export interface Attempts {
  /** Prompts the user. @throws PasskeyError */
  prompt(attempt: PromptedAttempt): Promise<Completion>
  /**
   * Waits in the browser's autofill.
   * @param onAnswer called when the user has chosen a passkey, before the result is sent to the service
   * @throws PasskeyError
   */
  waitForAutofill(attempt: Attempt, onAnswer: () => void): Promise<Completion>
}

export function createAttempts(given: Service): Attempts {
  const service = webAuthnService(given)
  const autofill = createAutofill(service)
  const complete = (result: CeremonyResult, attempt: Attempt, query?: Query): Promise<Completion> => {
    const { providerId, fields } = attempt
    const callbackUrl = withoutError(attempt.callbackUrl)
    return service.complete(providerId, result, { fields: { ...fields, callbackUrl }, query })
  }
  return {
    prompt: async ({ action, query, ...attempt }) => {
      assertSupported()
      autofill.cancel()
      const { providerId, fields, signal } = attempt
      const { csrfToken: _, ...rest } = fields
      const options = await service.requestOptions(providerId, { ...rest, ...(action && { action }) }, signal)
      return complete(await runCeremony(options, { isAutofill: false, signal }), attempt, query)
    },
    waitForAutofill: async (attempt, onAnswer) => {
      const result = await autofill.wait(attempt.providerId, attempt.signal)
      onAnswer()
      return complete(result, attempt)
    },
  }
}
