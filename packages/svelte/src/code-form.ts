import { type CodeFormOptions, type CodeFormState, createCodeForm, type SignInResponse } from "@latchkey/client"
import { createSubscriber } from "svelte/reactivity"

/** A form for the code of a sign-in mail. `isSubmitting` and `error` are reactive. */
export interface CodeForm extends CodeFormState {
  /**
   * Submits the code. While one is submitted, another is ignored: each counts as a guess.
   * @returns the result; undefined if the browser was redirected, the request failed or another one is running
   */
  readonly submit: (code: string) => Promise<SignInResponse | undefined>
}

/**
 * A form for the six digits of a sign-in mail, after `signIn(providerId, { email, redirect: false })` in this browser. Give
 * its field `inputmode="numeric"` and `autocomplete="one-time-code"`.
 * @example const form = useCodeForm("email")
 */
export function useCodeForm(providerId: string, options: CodeFormOptions = {}): CodeForm {
  const form = createCodeForm(providerId)
  const follow = createSubscriber((onChange) => form.subscribe(onChange))
  const read = (): CodeFormState => {
    follow()
    return form.getState()
  }
  return {
    get isSubmitting() {
      return read().isSubmitting
    },
    get error() {
      return read().error
    },
    submit: (code) => form.submit(code, options),
  }
}
