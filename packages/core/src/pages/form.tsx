/** @jsxImportSource #markup */

import type { CredentialInput } from "../types/providers.js"
import { noticeId } from "./error-message.js"
import type { JSX } from "./markup/jsx-runtime.js"

export interface HiddenFieldsProps {
  /** Undefined if the host disabled the CSRF check. */
  readonly csrfToken: string | undefined
  readonly callbackUrl: string
}

/** Hidden fields of a form: each value that is there. */
export function HiddenFields(fields: HiddenFieldsProps | Readonly<Record<string, string | undefined>>): JSX.Element {
  return (
    <>
      {Object.entries(fields).map(
        ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
      )}
    </>
  )
}

interface HostFieldsProps {
  readonly formId: string
  readonly fields: Readonly<Record<string, CredentialInput>>
  readonly isInvalid: boolean
  /** What the visitor typed before, by field name. */
  readonly typed?: Readonly<Record<string, string>>
  /** Added to every input. */
  readonly marker?: FieldAttributes
  /** Labels of fields that have none, by field name. */
  readonly labels?: Readonly<Record<string, string>>
}

/** The fields that the host configured, in its order. After an error the first one to fill in has the focus. */
export function HostFields({
  formId,
  fields,
  isInvalid,
  typed = {},
  marker,
  labels = {},
}: HostFieldsProps): JSX.Element {
  const isTyped = (name: string): boolean => Object.hasOwn(typed, name)
  const isFilled = ([name, { type }]: [string, CredentialInput]): boolean => isTyped(name) || type === "hidden"
  const focused = Object.entries(fields).findIndex((entry) => !isFilled(entry))
  return (
    <>
      {Object.entries(fields).map(([name, field], index) => (
        <Field
          formId={formId}
          name={name}
          label={field.label ?? labels[name] ?? toLabel(name)}
          attributes={{
            ...fieldAttributes(name, field),
            ...(isTyped(name) && { value: typed[name] ?? "" }),
            ...marker,
            ...(isInvalid && { autofocus: index === Math.max(focused, 0) }),
          }}
          isInvalid={isInvalid}
        />
      ))}
    </>
  )
}

/** The key of a field without a label, as visitors expect a label: `Username`. */
function toLabel(key: string): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}`
}

interface FieldProps {
  /** Together with `name`, unique on the page. */
  readonly formId: string
  readonly name: string
  readonly label: string
  readonly attributes: FieldAttributes
  /** Whether the error above the form is about this field. It then has the focus unless its attributes say otherwise. */
  readonly isInvalid: boolean
}

/** An input with a visible label. */
export function Field({ formId, name, label, attributes, isInvalid }: FieldProps): JSX.Element {
  if (attributes["type"] === "hidden") return <input {...attributes} name={name} />
  const id = `field-${toIdPart(formId)}-${toIdPart(name)}`
  const added = { ...findDirection(attributes), ...(isInvalid && toErrorAttributes(attributes)) }
  const isBox = attributes["type"] === "checkbox" || attributes["type"] === "radio"
  return (
    <div class={isBox ? "field field-box" : "field"}>
      <label class="label" for={id}>
        {label}
      </label>
      <input {...attributes} {...added} class="input" id={id} name={name} />
    </div>
  )
}

/** Addresses, URLs and codes are written from left to right in every language. A user name may be in any. */
function findDirection({ dir, type, autocomplete, inputmode }: FieldAttributes): FieldAttributes {
  if (dir !== undefined) return {}
  const hints = String(autocomplete).split(" ")
  if (latinTypes.has(String(type).toLowerCase()) || hints.includes("one-time-code")) return { dir: "ltr" }
  return hints.includes("username") || inputmode === "email" ? { dir: "auto" } : {}
}

const latinTypes: ReadonlySet<string> = new Set(["email", "number", "tel", "url"])

/** A screen reader then reads the field together with the error, and a hint that the field has. */
function toErrorAttributes({
  autofocus = true,
  "aria-describedby": hint,
}: Record<string, string | number | boolean>): FieldAttributes {
  const described = hint === undefined ? noticeId : `${noticeId} ${hint}`
  return { "aria-invalid": "true", "aria-describedby": described, autofocus }
}

/** Attributes such as `aria-describedby` separate ids by spaces, so an id has only letters, digits, `-` and `_`. */
function toIdPart(text: string): string {
  return text.replace(/[^a-z0-9-]/gi, (character) => `_${character.charCodeAt(0).toString(16)}`)
}

export type FieldAttributes = Readonly<Record<string, string | number | boolean>>

/**
 * The attributes of an `input` for a field that the host configured: the safe ones, in lower case. The type and the
 * hints for password managers and on-screen keyboards are filled in unless the host set them.
 */
export function fieldAttributes(key: string, field: CredentialInput): FieldAttributes {
  const configured = Object.entries(field).flatMap(([name, value]) => toAttribute(name.toLowerCase(), value))
  const attributes: FieldAttributes = { type: "text", ...Object.fromEntries(configured) }
  return { ...inputHints(key.toLowerCase(), String(attributes["type"]).toLowerCase()), ...attributes }
}

/** Attributes that the form sets itself, that contain style or markup, or that would change the form's target. */
const forbiddenAttributes: ReadonlySet<string> = new Set([
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

function toAttribute(
  name: string,
  value: CredentialInput[string],
): readonly (readonly [string, string | number | boolean])[] {
  if (!attributeName.test(name) || name.startsWith("on") || forbiddenAttributes.has(name)) return []
  return value === undefined || value === null ? [] : [[name, value]]
}

const oneTimeCodeKeys: ReadonlySet<string> = new Set(["otp", "totp", "onetimecode", "one-time-code", "one_time_code"])
const userNameKeys: ReadonlySet<string> = new Set(["username", "user", "login", "email"])

/** User names are not prose: disables capitalization and spell checking. */
const noCorrection: FieldAttributes = { autocapitalize: "none", spellcheck: "false" }

/** @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill */
function inputHints(key: string, type: string): FieldAttributes {
  if (type === "password" || key === "password") return { autocomplete: "current-password" }
  if (oneTimeCodeKeys.has(key)) return { autocomplete: "one-time-code", inputmode: "numeric" }
  if (type === "email" || key === "email") return { autocomplete: "username", inputmode: "email", ...noCorrection }
  return userNameKeys.has(key) ? { autocomplete: "username", ...noCorrection } : {}
}

/** Where a code of an email or of an app is typed: phones and password managers fill it in. */
export const codeAttributes: FieldAttributes = {
  type: "text",
  inputmode: "numeric",
  autocomplete: "one-time-code",
  ...noCorrection,
  maxlength: 40,
  required: true,
}

interface SubmitButtonProps {
  readonly text: string
  readonly isMain: boolean
}

/** The button of a form. The main one of a page stands out. */
export function SubmitButton({ text, isMain }: SubmitButtonProps): JSX.Element {
  return (
    <button type="submit" class={isMain ? "button button-primary" : "button"}>
      <span class="button-text">{text}</span>
    </button>
  )
}
