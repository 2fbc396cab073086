import { type Attempt, type Attempts, createAttempts } from "../attempts.js"
import { type BusyState, createBusyState } from "./busy-state.js"

/** A form with what it needs to do its work. */
export interface LivePasskeyForm {
  readonly form: HTMLFormElement
  readonly providerId: string
  readonly attempts: Attempts
  readonly busy: BusyState
}

const callback = "/callback/"

/**
 * @param known by base path: forms of one service share them, so that a request of one ends what waits for another
 */
export function livePasskeyForm(form: HTMLFormElement, known: Map<string, Attempts>): LivePasskeyForm {
  // Not `form.action`: that is a button, where one has this name.
  const { pathname } = new URL(form.getAttribute("action") ?? "", location.href)
  const at = pathname.lastIndexOf(callback)
  const basePath = pathname.slice(0, at)
  const attempts = known.get(basePath) ?? createAttempts(basePath)
  known.set(basePath, attempts)
  const providerId = decodeURIComponent(pathname.slice(at + callback.length))
  return { form, providerId, attempts, busy: createBusyState(buttonsOf(form)) }
}

export function buttonsOf(form: HTMLFormElement): readonly HTMLButtonElement[] {
  return [...form.querySelectorAll<HTMLButtonElement>('button[name="action"]')]
}

/** What the form would send, buttons excepted. A field that was left empty says nothing. */
export function readAttempt({ form, providerId }: LivePasskeyForm): Attempt {
  const entries = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[name, value] as const] : [],
  )
  const { callbackUrl = location.href, ...fields } = Object.fromEntries<string>(entries)
  return { providerId, fields, callbackUrl, signal: undefined }
}

/** Takes away what cannot be used, and says so where the page has words for it. */
export function showUnsupported(forms: readonly HTMLFormElement[]): void {
  for (const form of forms) {
    form.hidden = true
    const fold = form.closest("details")
    if (fold) fold.hidden = true
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-passkey-unsupported]")) element.hidden = false
}
