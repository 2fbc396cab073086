import { supportsPasskeys } from "../ceremony.js"
import type { WebAuthnAction } from "../service.js"
import { hideMessage, showAnswer, showError } from "./message.js"
import { buttonsOf, type LivePasskeyForm, livePasskeyForm, readAttempt, showUnsupported } from "./passkey-form.js"

/**
 * Brings every `form[data-passkey]` of the page to life. Such a form posts to `<base>/callback/<id>` and has buttons
 * with the name `action` and the value `authenticate` or `register`, disabled until this script is there. Its fields
 * are sent along.
 * `data-passkey-autofill` lets it wait in the browser's autofill; `data-passkey-texts`, there or around it, holds texts by
 * error, as JSON. A `[data-passkey-message]` somewhere on the page says what went wrong.
 */
export function startPasskeyForms(): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>("form[data-passkey]")]
  if (!supportsPasskeys()) {
    showUnsupported(forms)
    return
  }
  const known = new Map()
  const live = forms.map((form) => livePasskeyForm(form, known))
  const waiting = live.find(({ form }) => form.hasAttribute("data-passkey-autofill"))
  for (const one of live) listen(one, live, waiting)
  if (waiting) waitInAutofill(waiting)
}

/** One request is under way at a time, whichever form it came from. */
function listen(one: LivePasskeyForm, all: readonly LivePasskeyForm[], waiting: LivePasskeyForm | undefined): void {
  const { form, busy } = one
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (all.some((other) => other.busy.isBusy())) return
    const [first] = buttonsOf(form)
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : first
    ask(one, button?.value === "register" ? "register" : "authenticate").catch((error: unknown) => {
      busy.end()
      // The request took the place of what waited in the autofill.
      if (waiting) waitInAutofill(waiting)
      showError(form, error)
    })
  })
  // A page that comes back from the browser's memory comes back as it was left.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) busy.end()
  })
  for (const button of buttonsOf(form)) button.disabled = false
}

async function ask(one: LivePasskeyForm, action: WebAuthnAction): Promise<void> {
  hideMessage()
  one.busy.begin(action)
  const completion = await one.attempts.ask({ ...readAttempt(one), action, parameters: {} })
  showAnswer(one.form, completion)
}

/** Whoever has not chosen a passkey has not asked for anything, and is told of no failure. */
function waitInAutofill(one: LivePasskeyForm): void {
  let isChosen = false
  const onAnswer = (): void => {
    isChosen = true
    hideMessage()
    one.busy.begin("authenticate")
  }
  one.attempts
    .wait(readAttempt(one), onAnswer)
    .then((completion) => showAnswer(one.form, completion))
    .catch((error: unknown) => {
      if (!isChosen) return
      one.busy.end()
      // It does not wait again by itself: what answers without a person would go round in circles.
      showError(one.form, error)
    })
}
