import type { CredentialInput } from "../contract/credentials-provider.js"

export type FieldAttributes = Readonly<Record<string, string | number | boolean>>

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
