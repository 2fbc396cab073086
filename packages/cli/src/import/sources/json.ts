import { openSourceFile } from "../file-records.js"
import { readLines } from "../lines.js"
import { surveyRows } from "../record-users.js"
import type { ImportOptions, OpenSource, SourceContent, SourceRow, SourceUser } from "../records.js"
import { toDate } from "../values.js"

/**
 * Opens a file of JSON lines, each a `SourceUser` with dates in ISO 8601, or what `toUser` of the configuration makes one of.
 * @throws UsageError without such a file
 */
export const openJson: OpenSource = async ({ argument, folder, options: { toUser } }) => {
  const { path, fingerprint } = await openSourceFile(
    argument,
    folder,
    "Name the file: latchkey import json users.jsonl",
  )
  async function* read(after: string | undefined): AsyncGenerator<SourceRow> {
    for await (const { number, cursor, text, problem = "The line cannot be read" } of readLines(path, after)) {
      const place = { line: number, cursor }
      yield { ...place, ...(text === null ? { kind: "refused", reason: problem } : parseLine(text, toUser)) }
    }
  }
  return {
    name: "JSON lines",
    providerNames: {},
    fingerprint,
    survey: () => surveyRows(read(undefined)),
    read,
    close: async () => undefined,
  }
}

type Fields = Readonly<Record<string, unknown>>

function parseLine(text: string, toUser: ImportOptions["toUser"]): SourceContent {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: "refused", reason: "The line is not JSON" } // The error quotes the line.
  }
  if (!isFields(value)) return { kind: "refused", reason: "The line is not a JSON object" }
  const known = id(value["id"])
  try {
    const made: unknown = toUser ? toUser(value) : value
    if (toUser && made === null) return { kind: "ignored" }
    return { kind: "user", user: readUser(made) }
  } catch (error) {
    const reason = error instanceof ShapeError ? error.message : "toUser of the configuration threw an error"
    return { kind: "refused", ...(typeof known === "string" && { id: known }), reason }
  }
}

/** What a line has is not what it should have. The message names the field, never its value. */
class ShapeError extends Error {}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

type Check = (value: unknown) => unknown

const text: Check = (value) => (typeof value === "string" ? value : undefined)
const id: Check = (value) => (Number.isSafeInteger(value) ? String(value) : text(value))
const number: Check = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)
const flag: Check = (value) => (typeof value === "boolean" ? value : undefined)
const fields: Check = (value) => (isFields(value) ? value : undefined)
const texts: Check = (value) => listOf(text, "text")(value)
const date: Check = (value) => {
  const made = typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) ? toDate(value) : value
  return made instanceof Date && !Number.isNaN(made.valueOf()) ? made : undefined
}
/** The seconds of a token's expiry, or a date. */
const instant: Check = (value) => number(value) ?? date(value)

const account = { provider: text, providerAccountId: text, type: text, access_token: text, refresh_token: text }
const tokens = { id_token: text, scope: text, token_type: text, expires_at: instant, session_state: text }
const accountShape = { ...account, ...tokens }
const totpShape = { secret: text, digits: number, period: number, algorithm: text, label: text, createdAt: date }
const key = { credentialId: text, publicKey: text, counter: number, deviceType: text, isBackedUp: flag }
const passkeyShape = { ...key, transports: texts, name: text, createdAt: date, lastUsedAt: date }
const userShape = {
  ...{ id, name: text, email: text, emailVerified: date, image: text, fields, password: text },
  ...{ recoveryCodes: texts, left: texts },
  accounts: listOf(objectOf(accountShape, ["provider", "providerAccountId"]), "accounts"),
  totp: listOf(objectOf(totpShape, ["secret"]), "totp"),
  passkeys: listOf(objectOf(passkeyShape, ["credentialId", "publicKey", "counter"]), "passkeys"),
}

function readUser(value: unknown): SourceUser {
  if (!isFields(value)) throw new ShapeError("The user is not an object")
  return objectOf(userShape, ["id"])(value) as SourceUser // as: the table has checked each field
}

/** Unknown fields are refused: with a misspelled name, every password would be lost without notice. */
function objectOf(shape: Readonly<Record<string, Check>>, required: readonly string[]): Check {
  const readField = ([name, given]: [string, unknown]): readonly [string, unknown][] => {
    if (!Object.hasOwn(shape, name)) throw new ShapeError(`There is no field ${toShown(name)}`)
    if (given === null || given === undefined) return []
    return [[name, shape[name]?.(given) ?? fail(`The field ${name} has a value of another kind`)]]
  }
  return (value) => {
    if (!isFields(value)) return undefined
    const made = Object.fromEntries(Object.entries(value).flatMap(readField))
    for (const name of required) if (!Object.hasOwn(made, name)) throw new ShapeError(`The field ${name} is missing`)
    return made
  }
}

function listOf(check: Check, name: string): Check {
  return (value) => {
    if (!Array.isArray(value)) return undefined
    return value.map((each) => check(each) ?? fail(`The field ${name} has a value of another kind`))
  }
}

function fail(message: string): never {
  throw new ShapeError(message)
}

/** The name of a field, which may be anything in a broken line. */
function toShown(name: string): string {
  return /^\w{1,40}$/.test(name) ? name : "of that name"
}
