import type { AuthClient } from "./auth-client.js"
import { currentClient } from "./auth-functions.js"
import { navigateTo, type SignInResponse } from "./protocol.js"
import { AuthClientError, type AuthClientErrorCode } from "./service.js"

/** Options of `createCodeForm`, and of the frameworks' functions that build on it. */
export interface CodeFormOptions {
  /** Where to go after the sign-in if `signIn` was called without a target. Default: the current page. */
  readonly redirectTo?: string | undefined
  /** False stays on the page: read the session from its store. Default: true. */
  readonly redirect?: boolean | undefined
}

/** What a form for the code of a sign-in mail shows. */
export interface CodeFormState {
  /** Whether a code is being submitted. */
  readonly isSubmitting: boolean
  /**
   * Why the last code was refused: `CodeWrong` while there are guesses left, else `Verification`: ask for another mail. A
   * failed request has the code of its `AuthClientError`. Null before the first attempt.
   */
  readonly error: string | AuthClientErrorCode | null
}

/** A form for the code of a sign-in mail, for frameworks to subscribe to. */
export interface CodeForm {
  /** Returns the same object until something changes. */
  getState(): CodeFormState
  /**
   * Calls the listener after each change, once, however often it subscribes.
   * @returns an unsubscribe function
   */
  subscribe(listener: () => void): () => void
  /**
   * Submits the code. While one is submitted, another is ignored: each counts as a guess.
   * @returns the result; undefined if the browser was redirected, the request failed or another one is running
   */
  submit(code: string, options?: CodeFormOptions): Promise<SignInResponse | undefined>
}

/**
 * Creates a form for the six digits of a sign-in mail, after `signIn(providerId, { email, redirect: false })` in this
 * browser. Give its field `inputmode="numeric"` and `autocomplete="one-time-code"`.
 * @param findClient Default: the client that `configureAuth` configures.
 */
export function createCodeForm(providerId: string, findClient: () => AuthClient = currentClient): CodeForm {
  const listeners = new Set<() => void>()
  let state: CodeFormState = { isSubmitting: false, error: null }

  function setState(changes: Partial<CodeFormState>): void {
    state = { ...state, ...changes }
    for (const listener of listeners) listener()
  }

  async function submit(code: string, options: CodeFormOptions = {}): Promise<SignInResponse | undefined> {
    if (state.isSubmitting) return undefined
    const { redirectTo, redirect = true } = options
    setState({ isSubmitting: true })
    try {
      const target = redirectTo === undefined ? {} : { redirectTo }
      const response = await findClient().submitCode(providerId, code, { redirect: false, ...target })
      setState({ error: response.error ?? null })
      if (!redirect || response.error || !response.url) return response
      navigateTo(response.url)
    } catch (failure) {
      if (!(failure instanceof AuthClientError)) throw failure
      setState({ error: failure.code })
    } finally {
      setState({ isSubmitting: false })
    }
    return undefined
  }

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    submit,
  }
}
