import { type CodeFormOptions, type CodeFormState, createCodeForm, type SignInResponse } from "@latchkey/client"
import { type ComputedRef, computed, onScopeDispose, shallowRef } from "vue"

/** The state of a form for the code of a sign-in mail. */
export interface CodeForm {
  /** Whether a code is being submitted. */
  readonly isSubmitting: ComputedRef<CodeFormState["isSubmitting"]>
  /** See `CodeFormState` of `@latchkey/client`. */
  readonly error: ComputedRef<CodeFormState["error"]>
  /**
   * Submits the code. While one is submitted, another is ignored: each counts as a guess.
   * @returns the result; undefined if the browser was redirected, the request failed or another one is running
   */
  readonly submit: (code: string) => Promise<SignInResponse | undefined>
}

/**
 * A form for the six digits of a sign-in mail, after `signIn(providerId, { email, redirect: false })` in this browser. Give
 * its field `inputmode="numeric"` and `autocomplete="one-time-code"`.
 * @example const { submit, error, isSubmitting } = useCodeForm("email")
 */
export function useCodeForm(providerId: string, options: CodeFormOptions = {}): CodeForm {
  const form = createCodeForm(providerId)
  const state = shallowRef(form.getState())
  onScopeDispose(
    form.subscribe(() => {
      state.value = form.getState()
    }),
  )
  return {
    isSubmitting: computed(() => state.value.isSubmitting),
    error: computed(() => state.value.error),
    submit: (code) => form.submit(code, options),
  }
}
