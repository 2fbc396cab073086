import type { HTMLElement } from "node-html-parser"
import { hasName, isDisabled, isSubmitButton, readControl } from "./form-controls.js"

/** Names and values in the order of the form. A name may come several times. */
export type FormEntries = readonly (readonly [name: string, value: string])[]

/** A form of a page, filled as the page fills it. */
export interface Form {
  /** Where it goes. */
  readonly action: URL
  readonly method: "GET" | "POST"
  readonly enctype: "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain"
  /** What would be sent if it was submitted as it stands, hidden fields included, buttons not. */
  readonly entries: FormEntries
  /** The first value of each name. */
  readonly fields: Readonly<Record<string, string>>
  /** The names of all controls that can be filled. */
  readonly names: readonly string[]
  /** The buttons that submit it, in order. Pressing return in a field presses the first one. */
  readonly buttons: readonly SubmitButton[]
}

/** A button that sends the form, and where. */
export interface SubmitButton {
  readonly text: string
  readonly name: string
  readonly value: string
  /** `formaction` and `formmethod` where the button has them, else the form's. */
  readonly action: URL
  readonly method: Form["method"]
}

/** Reads the forms of a document, HTML section "Form submission". */
export function readForms(document: HTMLElement, base: URL): readonly Form[] {
  return document.querySelectorAll("form").map((form) => readForm(form, document, base))
}

export function readForm(form: HTMLElement, document: HTMLElement, base: URL): Form {
  const controls = findControls(form, document).filter((control) => !isDisabled(control))
  const filled = controls.filter((control) => hasName(control) && !isSubmitButton(control))
  const entries = filled.flatMap(readControl)
  const target = { action: toAction(form.getAttribute("action"), base), method: toMethod(form.getAttribute("method")) }
  return {
    ...target,
    enctype: toEnctype(form.getAttribute("enctype")),
    entries,
    fields: Object.fromEntries([...entries].reverse()),
    names: [...new Set(filled.map((control) => control.getAttribute("name") ?? ""))],
    buttons: controls.filter(isSubmitButton).map((button) => readButton(button, target, base)),
  }
}

function findControls(form: HTMLElement, document: HTMLElement): HTMLElement[] {
  const id = form.getAttribute("id")
  return document.querySelectorAll("input, select, textarea, button").filter((control) => {
    const owner = control.getAttribute("form")
    return owner === undefined ? control.closest("form") === form : owner !== "" && owner === id
  })
}

function readButton(button: HTMLElement, form: Pick<SubmitButton, "action" | "method">, base: URL): SubmitButton {
  const action = button.getAttribute("formaction")
  const method = button.getAttribute("formmethod")
  const value = button.getAttribute("value") ?? ""
  return {
    text: button.localName.toLowerCase() === "button" ? button.text.replace(/\s+/g, " ").trim() : value,
    name: button.getAttribute("name") ?? "",
    value,
    action: action === undefined ? form.action : toAction(action, base),
    method: method === undefined ? form.method : toMethod(method),
  }
}

function toAction(action: string | undefined, base: URL): URL {
  return new URL(action?.trim() || base.href, base)
}

function toMethod(method: string | undefined): Form["method"] {
  return method?.toLowerCase() === "post" ? "POST" : "GET"
}

function toEnctype(enctype: string | undefined): Form["enctype"] {
  const known = enctype?.toLowerCase()
  return known === "multipart/form-data" || known === "text/plain" ? known : "application/x-www-form-urlencoded"
}
