import type { Completion } from "../../completion.js"
import { goTo } from "../../go-to.js"
import { PasskeyError } from "../passkey-error.js"

/** An answer of the service for which the page has words of its own, so that the browser stays on it. */
class RefusedAttempt extends Error {}

/**
 * Goes where the service sends the browser.
 * @throws RefusedAttempt for an error that the page can explain itself
 */
export function showAnswer(form: HTMLFormElement, { response, target }: Completion): void {
  const text = response.error === undefined ? undefined : readTexts(form)[response.error]
  if (text !== undefined) throw new RefusedAttempt(text)
  goTo(target)
}

/**
 * Says what went wrong in the page's own words, else in those of the error. Nothing when another request has taken its
 * place.
 * @throws what is no such error, so that the browser reports it
 */
export function showError(form: HTMLFormElement, error: unknown): void {
  if (error instanceof RefusedAttempt) {
    showMessage(error.message)
    return
  }
  if (!(error instanceof PasskeyError)) throw error
  if (error.code !== "aborted") showMessage(readTexts(form)[error.code] ?? error.message)
}

export function hideMessage(): void {
  const region = findRegion()
  if (!region) return
  region.hidden = true
  // Emptied, so that the same message is read out again when it comes again.
  region.textContent = ""
}

function showMessage(text: string): void {
  const region = findRegion()
  if (!region) return
  region.textContent = text
  region.hidden = false
  region.scrollIntoView({ block: "nearest" })
}

/** The page's live region for what went wrong. */
function findRegion(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-passkey-message]")
}

/** By the code of a `PasskeyError`, or by the type of the service's error. */
function readTexts(form: HTMLFormElement): Readonly<Partial<Record<string, string>>> {
  const holder = form.closest("[data-passkey-texts]")
  const texts: unknown = JSON.parse(holder?.getAttribute("data-passkey-texts") ?? "{}")
  return typeof texts === "object" && texts !== null ? { ...texts } : {}
}
