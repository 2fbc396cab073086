import { type Completion, followCompletion, type SignInResponse } from "../protocol.js"
import { assertSupported, createAutofill, runCeremony } from "./ceremony.js"
import { type CeremonyResult, type Fields, type WebAuthnAction, webAuthnService } from "./service.js"

/** Options of `webAuthnClient`. */
export interface WebAuthnClientOptions {
  /** Where the service is mounted: a path, or a URL with the page's origin. Default: `/auth`. */
  readonly basePath?: string
}

/** Options of `signIn`. Any other option is a field of the provider's form, such as `email`, and is sent along. */
export interface SignInOptions {
  /** Default: the service decides. Use `register` to add a passkey to the account that is signed in. */
  readonly action?: WebAuthnAction
  /** Where to go afterwards. Default: the current page. */
  readonly redirectTo?: string
  /** The older name of `redirectTo`. */
  readonly callbackUrl?: string
  /** False returns the result and stays on the page. Default: true. */
  readonly redirect?: boolean
  /** Stops the request, which then fails with the code `aborted`. */
  readonly signal?: AbortSignal
  readonly [field: string]: unknown
}

/** Options of `signInWithAutofill`. */
export type AutofillOptions = Pick<SignInOptions, "redirectTo" | "callbackUrl" | "redirect" | "signal"> & {
  /** Default: a token is fetched. */
  readonly csrfToken?: string
  /**
   * Called when the user has chosen a passkey, before the result is sent to the service, so that the page can show
   * progress.
   */
  readonly onAnswer?: () => void
}

type WithoutRedirect = SignInOptions & { readonly redirect: false }

/** Sign-in with passkeys at one service. */
export interface WebAuthnClient {
  /**
   * Signs in with a passkey, signs up with a new one, or adds one to the account that is signed in.
   *
   * @param authorizationParams the query of the request that completes the sign-in
   * @returns undefined if the browser was redirected
   * @throws PasskeyError
   * @example await signIn("passkey", { action: "register", email: "ada@example.com", redirectTo: "/account" })
   */
  signIn(providerId: string, options: WithoutRedirect, authorizationParams?: Fields): Promise<SignInResponse>
  signIn(providerId: string, options?: SignInOptions, authorizationParams?: Fields): Promise<SignInResponse | undefined>
  /**
   * Offers passkeys in the autofill of a field whose `autocomplete` ends with `webauthn`, and signs in with the chosen
   * one. Call it once when the page opens; it waits until the user chooses or the signal aborts.
   *
   * @throws PasskeyError `unsupported` if the browser has no such autofill; `aborted` after the signal, or when `signIn` is
   *   called
   */
  signInWithAutofill(providerId: string, options?: AutofillOptions): Promise<SignInResponse | undefined>
}

/** Creates a client, such as for a service that is not mounted at `/auth`. */
export function webAuthnClient({ basePath = "/auth" }: WebAuthnClientOptions = {}): WebAuthnClient {
  const attempts = createAttempts(basePath)
  const signIn = async (
    providerId: string,
    options: SignInOptions = {},
    parameters: Fields = {},
  ): Promise<SignInResponse | undefined> => {
    const attempt = { ...toAttempt(providerId, options), action: options.action, parameters }
    return followCompletion(await attempts.prompt(attempt), options)
  }
  return {
    // With `redirect: false` there is always a response, which the type of the implementation cannot express.
    signIn: signIn as WebAuthnClient["signIn"],
    signInWithAutofill: async (providerId, options = {}) => {
      const { onAnswer = () => undefined, ...rest } = options
      return followCompletion(await attempts.waitForAutofill(toAttempt(providerId, rest), onAnswer), rest)
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
  /** The query of the request that completes the sign-in. */
  readonly parameters: Fields
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

/** @param basePath the base path or URL of the service */
export function createAttempts(basePath: string): Attempts {
  const service = webAuthnService(basePath.replace(/\/+$/, ""))
  const autofill = createAutofill(service)
  const complete = (result: CeremonyResult, attempt: Attempt, parameters: Fields): Promise<Completion> => {
    const { providerId, fields, callbackUrl } = attempt
    return service.complete(providerId, result, { fields: { ...fields, callbackUrl }, parameters })
  }
  return {
    prompt: async ({ action, parameters, ...attempt }) => {
      assertSupported()
      autofill.cancel()
      const { providerId, fields, signal } = attempt
      const { csrfToken: _, ...query } = fields
      const options = await service.requestOptions(providerId, { ...query, ...(action && { action }) }, signal)
      return complete(await runCeremony(options, { isAutofill: false, signal }), attempt, parameters)
    },
    waitForAutofill: async (attempt, onAnswer) => {
      const result = await autofill.wait(attempt.providerId, attempt.signal)
      onAnswer()
      return complete(result, attempt, {})
    },
  }
}
