import type { Form, FormEntries, SubmitButton } from "./form.js"
import type { TripBody } from "./trip.js"

/** What a person types into a form, by field name. A list fills a field that may have several values. */
export type FilledFields = Readonly<Record<string, string | readonly string[]>>

/** A form on its way. */
export interface Submission {
  readonly method: Form["method"]
  readonly url: URL
  readonly body: TripBody | null
  readonly contentType: string | null
}

/**
 * Fills a form and submits it as a browser would.
 * @param fields Replaces what stands in the form. Fields that are not named keep their value.
 * @param press Text, name or value of the button; default the first one.
 * @throws Error when the form has no such field or button.
 */
export function submitForm(form: Form, fields: FilledFields, press?: string): Submission {
  const button = findButton(form, press)
  const filled = [...fill(form, fields), ...(button?.name ? [[button.name, button.value] as const] : [])]
  const entries = filled.map(([name, value]) => [toCrLf(name), toCrLf(value)] as const)
  const { action, method } = button ?? form
  return method === "GET" ? toQuery(action, entries) : { method, url: action, ...encoders[form.enctype](entries) }
}

function fill(form: Form, fields: FilledFields): FormEntries {
  const strangers = Object.keys(fields).filter((name) => !form.names.includes(name))
  if (strangers.length > 0)
    throw new Error(`The form has no field ${strangers.join(", ")}; it has ${form.names.join(", ")}`)
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

/** Forms send line breaks as CR LF, HTML section "Form submission". */
function toCrLf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, "\r\n")
}
