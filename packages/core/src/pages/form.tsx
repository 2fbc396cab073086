import type { JSX } from "preact"
import type { CredentialInput } from "../types/providers.js"
import { noticeId } from "./error-message.js"

interface FieldProps {
  /** Unique on the page together with `name`. */
  readonly formId: string
  readonly name: string
  readonly label: string
  readonly attributes: FieldAttributes
  /** Whether the message above the form is about this field. */
  readonly isRefused: boolean
}

/** An input with its visible label. */
export function Field({ formId, name, label, attributes, isRefused }: FieldProps): JSX.Element {
  if (attributes["type"] === "hidden") return <input {...attributes} name={name} />
  const id = `field-${toIdPart(formId)}-${toIdPart(name)}`
  const refusal: FieldAttributes = isRefused ? { "aria-invalid": "true", "aria-describedby": noticeId } : {}
  const isBox = attributes["type"] === "checkbox" || attributes["type"] === "radio"
  return (
    <div class={isBox ? "field field-box" : "field"}>
      <label class="label" for={id}>
        {label}
      </label>
      <input {...attributes} {...refusal} class="input" id={id} name={name} />
    </div>
  )
}

interface HostFieldsProps {
  readonly formId: string
  readonly fields: Readonly<Record<string, CredentialInput>>
  readonly isRefused: boolean
  /** Added to every input. */
  readonly marker?: FieldAttributes
}

/**
 * The fields that a host asked for, in its order. After a refusal the first has the focus, so that it is read out with
 * the reason.
 */
export function HostFields({ formId, fields, isRefused, marker }: HostFieldsProps): JSX.Element {
  return (
    <>
      {Object.entries(fields).map(([name, field], index) => (
        <Field
          formId={formId}
          name={name}
          label={field.label ?? name}
          attributes={{
            ...fieldAttributes(name, field),
            ...marker,
            ...(isRefused && index === 0 ? { autofocus: true } : {}),
          }}
          isRefused={isRefused}
        />
      ))}
    </>
  )
}

/** Ids of elements are listed with spaces between them, so they hold only letters, digits and dashes. */
function toIdPart(text: string): string {
  return text.replace(/[^a-z0-9-]/gi, (character) => `_${character.charCodeAt(0).toString(16)}`)
}

type FieldAttributes = Readonly<Record<string, string | number | boolean>>

/** Attributes that the form sets itself, that carry style or markup, or that would send the form elsewhere. */
const refused: ReadonlySet<string> = new Set([
  "children",
  "class",
  "classname",
  "dangerouslysetinnerhtml",
  "defaultchecked",
  "defaultvalue",
  "form",
  "formaction",
  "formenctype",
  "formmethod",
  "formnovalidate",
  "formtarget",
  "id",
  "is",
  "key",
  "label",
  "name",
  "popovertarget",
  "ref",
  "slot",
  "src",
  "srcset",
  "style",
])

const attributeName = /^[a-z][a-z0-9-]*$/

/**
 * The attributes of an `input` from what a host wrote about it: those that are safe, in lower case, with a type and
 * with what helps password managers and on-screen keyboards unless the host said otherwise.
 */
export function fieldAttributes(key: string, field: CredentialInput): FieldAttributes {
  const given = Object.entries(field).flatMap(([name, value]) => toAttribute(name.toLowerCase(), value))
  const attributes: FieldAttributes = { type: "text", ...Object.fromEntries(given) }
  return { ...helpFor(key.toLowerCase(), String(attributes["type"]).toLowerCase()), ...attributes }
}

function toAttribute(
  name: string,
  value: CredentialInput[string],
): readonly (readonly [string, string | number | boolean])[] {
  if (!attributeName.test(name) || name.startsWith("on") || refused.has(name)) return []
  return value === undefined || value === null ? [] : [[name, value]]
}

const oneTimeCode: ReadonlySet<string> = new Set(["otp", "totp", "onetimecode", "one-time-code", "one_time_code"])
const userName: ReadonlySet<string> = new Set(["username", "user", "login", "email"])

/** @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill */
function helpFor(key: string, type: string): FieldAttributes {
  if (type === "password" || key === "password") return { autocomplete: "current-password" }
  if (oneTimeCode.has(key)) return { autocomplete: "one-time-code", inputmode: "numeric" }
  if (type === "email" || key === "email") return { autocomplete: "username", inputmode: "email", ...plainTyping }
  return userName.has(key) ? { autocomplete: "username", ...plainTyping } : {}
}

/** A name is not prose: nothing may correct or capitalise it. */
const plainTyping: FieldAttributes = { autocapitalize: "none", spellcheck: "false" }

export interface HiddenFieldsProps {
  /** Undefined when the host has switched the check off. */
  readonly csrfToken: string | undefined
  readonly callbackUrl: string
}

/** What every form of the built-in pages sends along. */
export function HiddenFields({ csrfToken, callbackUrl }: HiddenFieldsProps): JSX.Element {
  return (
    <>
      {csrfToken !== undefined && <input type="hidden" name="csrfToken" value={csrfToken} />}
      <input type="hidden" name="callbackUrl" value={callbackUrl} />
    </>
  )
}
