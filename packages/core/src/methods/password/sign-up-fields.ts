import { InvalidRequest } from "../../errors/errors.js"
import { RefusedInput } from "../../errors/refused-input.js"
import { runApp } from "../../host/redact.js"
import { isHttp } from "../../http/origin.js"
import type { AuthRequest } from "../../http/request.js"
import { isRecord } from "../../runtime/json.js"
import type { Awaitable } from "../../types/basics.js"

/** A field that the sign-up page asks for besides address, name and password. */
export interface SignUpField {
  /** Text of the field's label. */
  readonly label: string
  /** `url` takes an http(s) URL, `date` a day as `2026-11-28`, `number` a finite number. Default: `text`. */
  readonly type?: "text" | "tel" | "url" | "date" | "number" | undefined
  /** Whether it must be filled in. Default: false. */
  readonly required?: boolean | undefined
  /** The most characters. A longer value is refused. Default: 100. */
  readonly maxLength?: number | undefined
  /** What browsers fill in, such as `organization`. Default: the browser decides. */
  readonly autocomplete?: string | undefined
  /**
   * Returns a sentence for the visitor if the value cannot be used. Called with a value that is not empty, of the right type
   * and not too long.
   */
  readonly validate?: ((value: string) => Awaitable<string | null | undefined>) | undefined
}

/** The fields by name, in the order of the page. A name is that of the user's column. */
export type SignUpFields = Readonly<Record<string, SignUpField>>

/**
 * What the users of an app have in its own fields: texts, null or missing where nothing was typed.
 * @example
 * declare module "@latchkey/core" { interface User extends SignUpValues<typeof fields> {} }
 */
export type SignUpValues<Fields extends SignUpFields> = { readonly [Name in keyof Fields]?: string | null }

/** The options that say what the sign-up page asks for. */
export interface SignUpQuestions {
  readonly fields: SignUpFields
  /** The field of the user that keeps when the visitor agreed to the terms. Undefined: visitors are not asked to. */
  readonly termsField: string | undefined
}

/** What a visitor answered, for the store. */
export type SignUpAnswers = Readonly<Record<string, string | Date>>

/** The name of the checkbox. */
export const termsName = "terms"

const defaultMaxLength = 100
/** Until the address is proved, the browser keeps the values in a cookie. */
const maxTogether = 400
const types: readonly unknown[] = [undefined, "text", "tel", "url", "date", "number"]

/** Members of a user that are not a visitor's to choose, and fields of our own forms. */
const reserved: ReadonlySet<string> = new Set([
  "account",
  "callbackUrl",
  "code",
  "csrfToken",
  "current",
  "email",
  "emailVerified",
  "flow",
  "id",
  "image",
  "json",
  "name",
  "password",
  termsName,
  "token",
])

/** Whether a name can be that of a field of a user: what an object has by itself, `toString` and others, cannot. */
export function isFieldName(name: unknown): name is string {
  return typeof name === "string" && /^[a-z]\w{0,62}$/i.test(name) && !reserved.has(name) && !(name in {})
}

/** Why the fields cannot be used, as the rest of a sentence. Null if they can. */
export function findFieldsDefect(fields: unknown): string | null {
  if (!isRecord(fields)) return "must be an object of fields by name"
  let together = 0
  for (const [name, field] of Object.entries<unknown>(fields)) {
    if (!isFieldName(name)) return `has a name that cannot be used: ${JSON.stringify(name)}. ${nameRule}`
    if (!isRecord(field)) return `${name}: must be an object`
    const defect = findFieldDefect(field)
    if (defect !== null) return `${name}: ${defect}`
    together += Number(field["maxLength"] ?? defaultMaxLength)
  }
  return together <= maxTogether ? null : `must have at most ${maxTogether} characters together: set maxLength`
}

const nameRule = `Use letters, digits and _, and none of ${[...reserved].join(", ")}`

function findFieldDefect({ label, type, required, maxLength, validate }: Readonly<Record<string, unknown>>) {
  if (typeof label !== "string" || label.trim() === "") return "label must be a text"
  if (!types.includes(type)) return "type must be text, tel, url, date or number"
  if (required !== undefined && typeof required !== "boolean") return "required must be true or false"
  const isLength = maxLength === undefined || (Number.isSafeInteger(maxLength) && Number(maxLength) >= 1)
  if (!isLength) return "maxLength must be an integer of at least 1"
  return validate === undefined || typeof validate === "function" ? null : "validate must be a function"
}

/**
 * Reads the declared fields of a form and the consent to the terms, and nothing else of it.
 * @throws RefusedInput for a field that is wrong, InvalidRequest for one that is not text
 */
export async function readAnswers(
  request: AuthRequest,
  { fields, termsField }: SignUpQuestions,
  now: number,
): Promise<SignUpAnswers> {
  const answers: [string, string | Date][] = []
  for (const [name, field] of Object.entries(fields)) {
    const value = readLine(request, name)
    const fault = await runApp(`fields.${name}.validate`, () => findFault(value, field), [value])
    if (fault !== null)
      throw new RefusedInput(`${name}: is refused`, { code: "field", field: name, reason: fault || undefined })
    if (value !== "") answers.push([name, value])
  }
  if (termsField !== undefined) {
    const given = request.body?.[termsName]
    if (given !== "on" && given !== true)
      throw new RefusedInput("terms: must be agreed to", { code: termsName, field: termsName })
    answers.push([termsField, new Date(now)])
  }
  return Object.fromEntries(answers)
}

/** @throws InvalidRequest unless it is text */
function readLine({ body }: Pick<AuthRequest, "body">, name: string): string {
  const value = body && Object.hasOwn(body, name) ? body[name] : ""
  if (typeof value !== "string") throw new InvalidRequest(`${name} must be text`)
  return value
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .toWellFormed()
}

/** Null if the value can be used. Otherwise the app's sentence, or an empty text for ours. */
async function findFault(value: string, field: SignUpField): Promise<string | null> {
  const { type = "text", required = false, maxLength = defaultMaxLength, validate } = field
  if (value === "") return required ? "" : null
  if ([...value].length > maxLength || !isOfType[type](value)) return ""
  return (await validate?.(value)) || null
}

const isOfType: Readonly<Record<NonNullable<SignUpField["type"]>, (value: string) => boolean>> = {
  text: () => true,
  tel: () => true,
  url: (value) => isHttp(URL.parse(value)),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && new Date(value).toJSON()?.slice(0, 10) === value,
  number: (value) => Number.isFinite(Number(value)),
}

/** The answers that a browser has kept, sealed. Those that are no longer asked for are left out. */
export function reviveAnswers(kept: unknown, { fields, termsField }: SignUpQuestions): SignUpAnswers {
  const given = isRecord(kept) ? Object.entries(kept) : []
  return Object.fromEntries(
    given.flatMap(([name, value]): readonly (readonly [string, string | Date])[] => {
      if (typeof value !== "string") return []
      if (name === termsField) return [[name, new Date(value)]]
      return Object.hasOwn(fields, name) ? [[name, value]] : []
    }),
  )
}

/** A field of the user's own, for the page. */
export interface ShownField {
  readonly name: string
  readonly label: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** The fields with what was typed before. */
export function toShownFields(
  { fields }: SignUpQuestions,
  typed: (name: string) => string | undefined,
): readonly ShownField[] {
  return Object.entries(fields).map(([name, { label, type = "text", required, maxLength, autocomplete }]) => {
    const value = typed(name)
    return {
      name,
      label,
      attributes: {
        // A number is typed as text: browsers drop what they cannot read.
        ...(type === "number" ? { type: "text", inputmode: "decimal" } : { type }),
        maxlength: maxLength ?? defaultMaxLength,
        ...(required === true && { required }),
        ...(autocomplete !== undefined && { autocomplete }),
        ...(value !== undefined && { value }),
      },
    }
  })
}
