import type { HTMLElement } from "node-html-parser"
import type { RequestBody } from "./request.js"

type Entry = readonly [name: string, value: string]

/** Names and values in the order of the form. A name can occur several times. */
export type FormEntries = readonly Entry[]

/** A form with the values that the page gives it. */
export interface Form {
  /** The URL to which it is submitted. */
  readonly action: URL
  readonly method: "GET" | "POST"
  readonly enctype: "application/x-www-form-urlencoded" | "multipart/form-data" | "text/plain"
  /** The entries that it would send now, hidden fields included, buttons excluded. */
  readonly entries: FormEntries
  /** The first value of each name. */
  readonly fields: Readonly<Record<string, string>>
  /** The names of all controls that take a value. */
  readonly names: readonly string[]
  /** The submit buttons, in order. Pressing Enter in a field presses the first one. */
  readonly buttons: readonly SubmitButton[]
}

/** A submit button. */
export interface SubmitButton {
  readonly text: string
  readonly name: string
  readonly value: string
  /** The button's `formaction`, or the form's action. */
  readonly action: URL
  /** The button's `formmethod`, or the form's method. */
  readonly method: Form["method"]
}

/** Reads all forms of a document, HTML section "Form submission". */
export function readForms(document: HTMLElement, base: URL): readonly Form[] {
  return document.querySelectorAll("form").map((form) => readForm(form, document, base))
}

/** Reads one form of a document. */
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

const submitTypes: readonly string[] = ["submit", "image"]
const typesWithoutEntry: readonly string[] = ["button", "reset", "file", ...submitTypes]

function hasName(control: HTMLElement): boolean {
  return (control.getAttribute("name") ?? "") !== ""
}

function isDisabled(control: HTMLElement): boolean {
  return control.hasAttribute("disabled") || control.closest("fieldset[disabled]") !== null
}

function isSubmitButton(control: HTMLElement): boolean {
  const tag = control.localName.toLowerCase()
  if (tag === "button") return typeOf(control, "submit") === "submit"
  return tag === "input" && submitTypes.includes(typeOf(control, "text"))
}

/** The entries that a control adds to the form, HTML section "Constructing the entry list". */
function readControl(control: HTMLElement): readonly Entry[] {
  const name = control.getAttribute("name") ?? ""
  const values = readers[control.localName.toLowerCase()]?.(control) ?? []
  return values.map((value) => [name, value] as const)
}

const readers: Readonly<Record<string, (control: HTMLElement) => readonly string[]>> = {
  input: readInput,
  select: readSelect,
  textarea: (control) => [control.text.replace(/^\r?\n/, "")],
}

function readInput(control: HTMLElement): readonly string[] {
  const type = typeOf(control, "text")
  if (typesWithoutEntry.includes(type)) return []
  if (type === "checkbox" || type === "radio")
    return control.hasAttribute("checked") ? [control.getAttribute("value") ?? "on"] : []
  return [control.getAttribute("value") ?? ""]
}

function readSelect(control: HTMLElement): readonly string[] {
  const options = control.querySelectorAll("option").filter((option) => !option.hasAttribute("disabled"))
  const selected = options.filter((option) => option.hasAttribute("selected"))
  if (control.hasAttribute("multiple")) return selected.map(optionValue)
  return [selected.at(-1) ?? options[0]].filter((option) => option !== undefined).map(optionValue)
}

function optionValue(option: HTMLElement): string {
  return option.getAttribute("value") ?? option.text.replace(/\s+/g, " ").trim()
}

function typeOf(control: HTMLElement, missing: string): string {
  return (control.getAttribute("type") || missing).toLowerCase()
}

/** Values to fill into a form, by field name. An array fills a field with several values. */
export type FilledFields = Readonly<Record<string, string | readonly string[]>>

/** The request that submitting a form makes. */
interface Submission {
  readonly method: Form["method"]
  readonly url: URL
  readonly body: RequestBody | null
  readonly contentType: string | null
}

/**
 * Fills a form and submits it as a browser would.
 * @param fields Replaces values of the form. Other fields keep theirs.
 * @param press Text, name or value of the button. Default: the first button.
 * @throws Error if the form has no such field or button.
 */
export function submitForm(form: Form, fields: FilledFields, press?: string): Submission {
  const button = findButton(form, press)
  const filled = [...fill(form, fields), ...(button?.name ? [[button.name, button.value] as const] : [])]
  const entries = filled.map(([name, value]) => [toCrLf(name), toCrLf(value)] as const)
  const { action, method } = button ?? form
  return method === "GET" ? toQuery(action, entries) : { method, url: action, ...encoders[form.enctype](entries) }
}

function fill(form: Form, fields: FilledFields): FormEntries {
  const unknown = Object.keys(fields).filter((name) => !form.names.includes(name))
  if (unknown.length > 0)
    throw new Error(`The form has no field ${unknown.join(", ")}; it has ${form.names.join(", ")}`)
  return form.names.flatMap((name) => {
    const given = fields[name]
    if (given === undefined) return form.entries.filter(([own]) => own === name)
    return [given].flat().map((value) => [name, value] as const)
  })
}

function findButton({ buttons }: Form, press: string | undefined): SubmitButton | undefined {
  if (press === undefined) return buttons[0]
  const found = buttons.find(({ text, name, value }) => [text, name, value].includes(press))
  if (!found) throw new Error(`The form has no button ${press}; it has ${buttons.map(({ text }) => text).join(", ")}`)
  return found
}

function toQuery(action: URL, entries: FormEntries): Submission {
  const url = new URL(action)
  url.search = encodeFields(entries)
  return { method: "GET", url, body: null, contentType: null }
}

type Encoded = Pick<Submission, "body" | "contentType">

const encoders: Readonly<Record<Form["enctype"], (entries: FormEntries) => Encoded>> = {
  "application/x-www-form-urlencoded": (entries) => ({
    body: encodeFields(entries),
    contentType: "application/x-www-form-urlencoded",
  }),
  "multipart/form-data": (entries) => {
    const body = new FormData()
    for (const [name, value] of entries) body.append(name, value)
    return { body, contentType: null }
  },
  "text/plain": (entries) => ({
    body: entries.map(([name, value]) => `${name}=${value}\r\n`).join(""),
    contentType: "text/plain",
  }),
}

function encodeFields(entries: FormEntries): string {
  const params = new URLSearchParams()
  for (const [name, value] of entries) params.append(name, value)
  return params.toString()
}

/** Forms send line breaks as CRLF, HTML section "Form submission". */
function toCrLf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, "\r\n")
}

/**
 * Whether a page's Content-Security-Policy allows its forms to go to a URL, CSP Level 3 section 6.4.2. Some browsers also
 * check each redirect, which blocks a sign-in at another origin if the page allows only `'self'`; so does this one.
 */
export function allowsFormAction(policies: string | null, page: URL, target: URL): boolean {
  return (policies ?? "").split(",").every((policy) => {
    const sources = readFormActionSources(policy)
    return sources === null || sources.some((source) => matchesSource(source, page, target))
  })
}

function readFormActionSources(policy: string): readonly string[] | null {
  for (const directive of policy.split(";")) {
    const [name, ...sources] = directive.trim().split(/\s+/)
    if (name?.toLowerCase() === "form-action") return sources
  }
  return null
}

function matchesSource(source: string, page: URL, target: URL): boolean {
  if (source === "*") return ["http:", "https:"].includes(target.protocol)
  if (source === "'self'") return target.origin === page.origin
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return target.protocol === source.toLowerCase()
  return matchesHost(source, page, target)
}

function matchesHost(source: string, page: URL, target: URL): boolean {
  const [, scheme = page.protocol, host = "", port = ""] =
    /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:]+)(?::(\d+|\*))?/i.exec(source) ?? []
  const isHost = host.startsWith("*.") ? target.hostname.endsWith(host.slice(1)) : target.hostname === host
  return target.protocol === scheme && isHost && (port === "*" || port === target.port)
}
