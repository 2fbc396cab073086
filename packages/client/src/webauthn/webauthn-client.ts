import type { Completion, SignInResponse } from "../completion.js"
import { goTo } from "../go-to.js"
import { type Attempt, createAttempts } from "./attempts.js"
import type { Fields, WebAuthnAction } from "./service.js"

export interface WebAuthnClientOptions {
  /** Where the service is mounted: a path, or a URL of the page's own origin. Default: `/auth`. */
  readonly basePath?: string
}

/**
 * What a sign-in may be told. What is not named here is a field of the provider's form, such as `email`, and is sent
 * along.
 */
export interface SignInOptions {
  /** Default: the service decides. Whoever is signed in and wants another passkey says `register`. */
  readonly action?: WebAuthnAction
  /** Where to go afterwards. Default: the page that is open. */
  readonly redirectTo?: string
  /** The older name of `redirectTo`. */
  readonly callbackUrl?: string
  /** False: the answer is returned, and the page stays. Default: true. */
  readonly redirect?: boolean
  /** Stops the request; it then ends with the code `aborted`. */
  readonly signal?: AbortSignal
  readonly [field: string]: unknown
}

type StayingOptions = SignInOptions & { readonly redirect: false }

/** Signing in with passkeys at one service. */
export interface WebAuthnClient {
  /**
   * Signs in with a passkey, signs up with a new one, or adds one to the account that is signed in.
   *
   * @param authorizationParams query of the request that ends the sign-in
   * @returns undefined when the browser was sent on
   * @throws PasskeyError when nothing came of it
   * @example await signIn("passkey", { action: "register", email: "ada@example.com", redirectTo: "/account" })
   */
  signIn(providerId: string, options: StayingOptions, authorizationParams?: Fields): Promise<SignInResponse>
  signIn(providerId: string, options?: SignInOptions, authorizationParams?: Fields): Promise<SignInResponse | undefined>
  /**
   * Offers passkeys among what the browser fills into a field whose `autocomplete` ends with `webauthn`, and signs in
   * with the one that is chosen. Call it once when such a page opens; it waits until then, or until the signal.
   *
   * @throws PasskeyError `unsupported` where the browser has no such autofill; `aborted` after the signal, or when
   *   `signIn` was called
   */
  signInWithAutofill(providerId: string, options?: AutofillOptions): Promise<SignInResponse | undefined>
}

export type AutofillOptions = Pick<SignInOptions, "redirectTo" | "callbackUrl" | "redirect" | "signal"> & {
  /** Sent instead of one that is fetched. */
  readonly csrfToken?: string
  /** Called when a passkey was chosen, before the service is asked: time to show that something happens. */
  readonly onAnswer?: () => void
}

/** A client for a service that is not mounted at `/auth`. */
export function webAuthnClient({ basePath = "/auth" }: WebAuthnClientOptions = {}): WebAuthnClient {
  const attempts = createAttempts(basePath)
  const signIn = async (
    providerId: string,
    options: SignInOptions = {},
    parameters: Fields = {},
  ): Promise<SignInResponse | undefined> => {
    const attempt = { ...toAttempt(providerId, options), action: options.action, parameters }
    return arrive(await attempts.ask(attempt), options)
  }
  return {
    // With `redirect: false` there always is an answer, which the implementation's type does not tell.
    signIn: signIn as WebAuthnClient["signIn"],
    signInWithAutofill: async (providerId, options = {}) => {
      const { onAnswer = () => undefined, ...rest } = options
      return arrive(await attempts.wait(toAttempt(providerId, rest), onAnswer), rest)
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

function arrive({ response, target }: Completion, { redirect = true }: SignInOptions): SignInResponse | undefined {
  if (!redirect) return response
  goTo(target)
  return undefined
}
