import { type CodeFormOptions, type CodeFormState, createCodeForm, type SignInResponse } from "@latchkey/client"
import { useCallback, useMemo, useSyncExternalStore } from "react"
import { currentClient } from "./auth.js"

export type { CodeFormOptions } from "@latchkey/client"

/** The state of a form for the code of a sign-in mail. */
export interface CodeForm extends CodeFormState {
  /**
   * Submits the code. While one is submitted, another is ignored: each counts as a guess.
   * @returns the result; undefined if the browser was redirected, the request failed or another one is running
   */
  readonly submit: (code: string) => Promise<SignInResponse | undefined>
}

/**
 * A form for the six digits of a sign-in mail, after `signIn(providerId, { email, redirect: false })` in this browser. Give
 * its field `inputMode="numeric"` and `autoComplete="one-time-code"`.
 * @example const { submit, error, isSubmitting } = useCodeForm("email")
 */
export function useCodeForm(providerId: string, { redirectTo, redirect }: CodeFormOptions = {}): CodeForm {
  const form = useMemo(() => createCodeForm(providerId, currentClient), [providerId])
  const state = useSyncExternalStore(form.subscribe, form.getState, form.getState)
  const submit = useCallback(
    (code: string) => form.submit(code, { redirectTo, redirect }),
    [form, redirectTo, redirect],
  )
  return { ...state, submit }
}
