// The passkey script of the built-in pages, served at `<base path>/webauthn.js`. The build bundles it into
// @latchkey/core.
import { type Completion, navigateTo } from "../protocol.js"
import { createService } from "../service.js"
import { supportsPasskeys } from "./ceremony.js"
import { PasskeyError } from "./passkey-error.js"
import { type Attempt, type Attempts, createAttempts } from "./passkeys.js"
import { OptionsRefused, type WebAuthnAction } from "./service.js"

/** A form with its provider and the state of its buttons. */
interface PasskeyForm {
  readonly form: HTMLFormElement
  readonly providerId: string
  readonly attempts: Attempts
  readonly busy: BusyState
}

/**
 * Activates every `form[data-passkey]` of the page. Such a form posts to `<base>/callback/<id>` and has buttons with
 * the name `action` and the value `authenticate` or `register`, disabled until this script has loaded. Its fields are
 * sent along. `data-passkey-autofill` makes it wait in the browser's autofill. `data-passkey-texts`, on the form or an
 * ancestor, holds messages by error code, as JSON. An element `[data-passkey-message]` shows what went wrong.
 */
export function startPasskeyForms(): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>("form[data-passkey]")]
  if (!supportsPasskeys()) {
    showUnsupported(forms)
    return
  }
  const attemptsByBasePath = new Map<string, Attempts>()
  const passkeyForms = forms.map((form) => toPasskeyForm(form, attemptsByBasePath))
  const waiting = passkeyForms.find(({ form }) => form.hasAttribute("data-passkey-autofill"))
  for (const one of passkeyForms) listen(one, passkeyForms, waiting)
  if (waiting) waitForAutofill(waiting)
}

/** Hides the forms and shows the notice of the page, if it has one. */
function showUnsupported(forms: readonly HTMLFormElement[]): void {
  for (const form of forms) {
    form.hidden = true
    const fold = form.closest("details")
    if (fold) fold.hidden = true
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-passkey-unsupported]")) element.hidden = false
}

/**
 * @param known attempts that the forms of one service share, so that a prompt of one cancels the autofill of another
 */
function toPasskeyForm(form: HTMLFormElement, known: Map<string, Attempts>): PasskeyForm {
  // Not `form.action`, which is the button of that name.
  const { pathname } = new URL(form.getAttribute("action") ?? "", location.href)
  const callback = "/callback/"
  const at = pathname.lastIndexOf(callback)
  const basePath = pathname.slice(0, at)
  const attempts = known.get(basePath) ?? createAttempts(createService({ basePath }))
  known.set(basePath, attempts)
  const providerId = decodeURIComponent(pathname.slice(at + callback.length))
  return { form, providerId, attempts, busy: createBusyState(buttonsOf(form)) }
}

function buttonsOf(form: HTMLFormElement): readonly HTMLButtonElement[] {
  return [...form.querySelectorAll<HTMLButtonElement>('button[name="action"]')]
}

/** Handles the form's buttons, unless a request of any form is already running. */
function listen(one: PasskeyForm, all: readonly PasskeyForm[], waiting: PasskeyForm | undefined): void {
  const { form, busy } = one
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (all.some((other) => other.busy.isBusy())) return
    const [first] = buttonsOf(form)
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : first
    prompt(one, button?.value === "register" ? "register" : "authenticate").catch((error: unknown) => {
      busy.end()
      // The prompt has canceled the autofill.
      if (waiting) waitForAutofill(waiting)
      showError(form, error)
    })
  })
  // The back/forward cache restores the page as it was left.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) busy.end()
  })
  for (const button of buttonsOf(form)) button.disabled = false
}

async function prompt(one: PasskeyForm, action: WebAuthnAction): Promise<void> {
  hideMessage()
  one.busy.begin(action)
  const completion = await one.attempts.prompt({ ...readAttempt(one), action, query: undefined }).catch(toCompletion)
  showCompletion(one.form, completion)
}

/** A refusal before the prompt is shown like one after it. */
function toCompletion(error: unknown): Completion {
  if (error instanceof OptionsRefused) return error.completion
  throw error
}

/** Shows no error until the user has chosen a passkey, since they have not asked for anything before. */
function waitForAutofill(one: PasskeyForm): void {
  let isChosen = false
  const onAnswer = (): void => {
    isChosen = true
    hideMessage()
    one.busy.begin("authenticate")
  }
  one.attempts
    .waitForAutofill(readAttempt(one), onAnswer)
    .then((completion) => showCompletion(one.form, completion))
    .catch((error: unknown) => {
      if (!isChosen) return
      one.busy.end()
      // Do not wait again: an authenticator that responds without the user would loop.
      showError(one.form, error)
    })
}

/** The fields that the form would send, without buttons and empty fields. */
function readAttempt({ form, providerId }: PasskeyForm): Attempt {
  const entries = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[name, value] as const] : [],
  )
  const { callbackUrl = location.href, ...fields } = Object.fromEntries<string>(entries)
  return { providerId, fields, callbackUrl, signal: undefined }
}

/** Shows on a form's buttons that a request is running. */
interface BusyState {
  isBusy(): boolean
  begin(action: WebAuthnAction): void
  end(): void
}

/** The buttons keep the focus and their place. The pressed one shows the text of its `data-passkey-busy`. */
function createBusyState(buttons: readonly HTMLButtonElement[]): BusyState {
  let pressed: HTMLButtonElement | undefined
  let usualText = ""
  return {
    isBusy: () => pressed !== undefined,
    begin: (action) => {
      pressed = buttons.find(({ value }) => value === action) ?? buttons[0]
      if (!pressed) return
      const text = textOf(pressed)
      usualText = text.textContent
      text.textContent = pressed.getAttribute("data-passkey-busy") ?? usualText
      pressed.setAttribute("aria-busy", "true")
      for (const button of buttons) button.setAttribute("aria-disabled", "true")
    },
    end: () => {
      if (!pressed) return
      textOf(pressed).textContent = usualText
      pressed.removeAttribute("aria-busy")
      for (const button of buttons) button.removeAttribute("aria-disabled")
      pressed = undefined
    },
  }
}

/** The element with the button's text, so that its icon stays. */
function textOf(button: HTMLButtonElement): Element {
  return button.querySelector(".button-text") ?? button
}

/** An error of the service that the page has a message for, so that the browser stays on the page. */
class ExplainedError extends Error {}

/**
 * Navigates to the service's redirect target.
 * @throws ExplainedError for an error that the page has a message for
 */
function showCompletion(form: HTMLFormElement, { response, target }: Completion): void {
  const text = response.error === undefined ? undefined : readTexts(form)[response.error]
  if (text !== undefined) throw new ExplainedError(text)
  navigateTo(target)
}

/**
 * Shows the page's message for an error, or else the error's own. Shows nothing if a newer request replaced this one.
 * @throws any other error, so that the browser reports it
 */
function showError(form: HTMLFormElement, error: unknown): void {
  if (error instanceof ExplainedError) {
    showMessage(error.message)
    return
  }
  if (!(error instanceof PasskeyError)) throw error
  if (error.code !== "aborted") showMessage(readTexts(form)[error.code] ?? error.message)
}

function showMessage(text: string): void {
  const region = findRegion()
  if (!region) return
  region.textContent = text
  region.hidden = false
  region.scrollIntoView({ block: "nearest" })
}

function hideMessage(): void {
  const region = findRegion()
  if (!region) return
  region.hidden = true
  // Emptied, so that screen readers announce the same message again.
  region.textContent = ""
}

/** The page's live region for errors. */
function findRegion(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-passkey-message]")
}

/** The page's messages, by the code of a `PasskeyError` or the type of the service's error. */
function readTexts(form: HTMLFormElement): Readonly<Partial<Record<string, string>>> {
  const holder = form.closest("[data-passkey-texts]")
  const texts: unknown = JSON.parse(holder?.getAttribute("data-passkey-texts") ?? "{}")
  return typeof texts === "object" && texts !== null ? { ...texts } : {}
}

startPasskeyForms()
