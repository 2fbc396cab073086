import type { JSX } from "preact"
import type { CredentialInput } from "../contract/credentials-provider.js"
import { type FieldAttributes, fieldAttributes } from "./field-attributes.js"
import { noticeId } from "./notice.js"

export interface FieldProps {
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

export interface HostFieldsProps {
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
