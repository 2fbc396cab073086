import { AuthClientError, type AuthClientErrorCode, type SignInResponse } from "@latchkey/client"
import { useCallback, useRef, useState } from "react"
import { currentClient } from "./auth.js"

/** Options of `useCodeForm`. */
export interface CodeFormOptions {
  /** Where to go after the sign-in if `signIn` was called without a target. Default: the current page. */
  readonly redirectTo?: string
  /** False stays on the page: read the session with `useSession`. Default: true. */
  readonly redirect?: boolean
}

/** The state of a form for the code of a sign-in mail. */
export interface CodeForm {
  /**
   * Submits the code. While one is submitted, another is ignored: each counts as a guess.
   * @returns the result; undefined if the browser was redirected, the request failed or another one is running
   */
  readonly submit: (code: string) => Promise<SignInResponse | undefined>
  /** Whether a code is being submitted. */
  readonly isSubmitting: boolean
  /**
   * Why the last code was refused: `CodeWrong` while there are guesses left, else `Verification`: ask for another mail. A
   * failed request has the code of its `AuthClientError`. Null before the first attempt.
   */
  readonly error: string | AuthClientErrorCode | null
}

/**
 * A form for the six digits of a sign-in mail, after `signIn(providerId, { email, redirect: false })` in this browser. Give
 * its field `inputMode="numeric"` and `autoComplete="one-time-code"`.
 * @example const { submit, error, isSubmitting } = useCodeForm("email")
 */
export function useCodeForm(providerId: string, { redirectTo, redirect = true }: CodeFormOptions = {}): CodeForm {
  const [isSubmitting, setSubmitting] = useState(false)
  const [error, setError] = useState<CodeForm["error"]>(null)
  const isRunning = useRef(false)
  const submit = useCallback(
    async (code: string) => {
      if (isRunning.current) return undefined
      isRunning.current = true
      setSubmitting(true)
      try {
        const options = redirectTo === undefined ? { redirect: false } : { redirect: false, redirectTo }
        const response = await currentClient().submitCode(providerId, code, options)
        setError(response?.error ?? null)
        if (!redirect || response?.error !== undefined || !response?.url) return response
        location.assign(response.url)
        return undefined
      } catch (failure) {
        if (!(failure instanceof AuthClientError)) throw failure
        setError(failure.code)
        return undefined
      } finally {
        isRunning.current = false
        setSubmitting(false)
      }
    },
    [providerId, redirectTo, redirect],
  )
  return { submit, isSubmitting, error }
}
