import { stripVTControlCharacters } from "node:util"
import { type FailureFacts, isFailureReason } from "@latchkey/core/diagnosis"

/** A failure in a log, as far as its line tells. Everything in it is of a form that cannot be a visitor's text. */
export interface FailureEntry {
  readonly reference: string
  /** RFC 3339. */
  readonly time?: string
  readonly requestId?: string
  readonly provider?: string
  /** The type of the error. */
  readonly error?: string
  /** The message, if the line has one. Show it only after escaping. */
  readonly message?: string
  readonly reason?: string
  readonly facts: FailureFacts
  /** How many wrappers the line had. A visitor's text can at most be an inner one. */
  readonly depth: number
}

/** Adds what a `[cause]` line tells. */
export function withCause(entry: FailureEntry, line: string): FailureEntry | null {
  const [, text] = causeLine.exec(toPlain(unwrapText(line))) ?? []
  if (text === undefined) return null
  const fields: Record<string, string> = {}
  for (const found of text.matchAll(causeField)) fields[found[1] ?? ""] = found[2] ?? ""
  const { provider, reason } = fields
  return {
    ...entry,
    ...(provider !== undefined && isName(provider) && { provider }),
    ...(reason !== undefined && isFailureReason(reason) && { reason }),
    facts: { ...entry.facts, ...readFacts(fields) },
  }
}

/** Each field of the line, whose value may have commas. */
const causeField = /(?:^|, )(\w+): ([^,]*(?:, [^:,]+(?=,|$))*)/g

/** The failure that a line tells of; null if it tells of none. */
export function readEntry(line: string): FailureEntry | null {
  return read(toPlain(line), 0)
}

/** Loggers, platforms and containers wrap a line or an object in one of these. */
const wrappers = [
  "jsonPayload",
  "textPayload",
  "message",
  "msg",
  "log",
  "line",
  "event",
  "data",
  "fields",
  "record",
  "entry",
]
const maxDepth = 4

function read(text: string, depth: number): FailureEntry | null {
  const json = findObject(text)
  return json === null ? readConsole(text, depth) : readObject(json, depth)
}

function readObject(json: Readonly<Record<string, unknown>>, depth: number): FailureEntry | null {
  const own = readRecord(json, depth)
  if (own || depth >= maxDepth) return own
  for (const name of wrappers) {
    const inner = json[name]
    const found =
      typeof inner === "string"
        ? read(toPlain(inner), depth + 1)
        : isObject(inner)
          ? readObject(inner, depth + 1)
          : null
    // The time of the wrapper counts if the line has none.
    if (found) return found.time === undefined ? { ...found, ...toTime(json) } : found
  }
  return null
}

/** An object of `logger.record`, or of a logger that writes the error's type, message and reference. */
function readRecord(json: Readonly<Record<string, unknown>>, depth: number): FailureEntry | null {
  const { reference, requestId, providerId, provider, error, type, name, message, msg, reason, facts, outcome } = json
  if (typeof reference !== "string" || !referencePattern.test(reference) || outcome === "success") return null
  const kind = [error, type, name].find((each) => typeof each === "string" && /^\w{1,64}$/.test(each))
  const text = [message, msg].find((each) => typeof each === "string")
  const id = [providerId, provider].find((each) => typeof each === "string" && isName(each))
  return {
    reference,
    depth,
    facts: isObject(facts) ? readFacts(facts) : {},
    ...toTime(json),
    ...(typeof requestId === "string" && plainId.test(requestId) && { requestId }),
    ...(kind !== undefined && { error: String(kind) }),
    ...(text !== undefined && { message: String(text) }),
    ...(id !== undefined && { provider: String(id) }),
    ...(typeof reason === "string" && isFailureReason(reason) && { reason }),
  }
}

const referencePattern = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{2}$/
const plainId = /^[\w.:/+=-]{1,128}$/
const isName = (text: string) => /^[\w.~-]{1,64}$/.test(text)

/**
 * What loggers and containers write before a line: times, `[info]`, levels, `app[web.1]:`, `web-1 |`. What a visitor sends
 * stands behind an address, a method or a quote, which no prefix has: a path, or a user agent in an access log.
 */
const prefixes = [
  /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,18}(?:Z|[+-][\d:]{4,5})?)?$/,
  /^\d{1,2}:\d\d:\d\d[\d.,]{0,10}Z?$/,
  /^\[[^\]\s"]{1,64}\]$/,
  /^(?:error|warn|warning|info|debug|log|stderr|stdout|[FP])$/i,
  /^[\w.\-[\]/]{1,64}[:|]$/,
  // The process of PM2, and the request of AWS Lambda.
  /^\d{1,4}\|[\w.-]{1,64}$/,
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
]
const maxPrefixes = 6

/** The machine and the process that syslog and systemd write behind the time. */
const syslog = /^(?:[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|(\d{4}-\d\d-\d\dT\S{8,24})) [\w.-]{1,64} [\w.\-/[\]]{1,64}: /

/** The words before the line of the console, or null if they are not what loggers write. */
function readPrefix(text: string): readonly string[] | null {
  const words = text.split(/\s/).filter((word) => word !== "")
  const isKnown = (word: string) => prefixes.some((pattern) => pattern.test(word))
  // The `|` of Docker Compose stands apart from its name.
  const isNamed = (word: string, n: number) => words[n + 1] === "|" && /^[\w.-]{1,64}$/.test(word)
  const isPrefix = words.every((word, n) => word === "|" || isKnown(word) || isNamed(word, n))
  return words.length <= maxPrefixes && isPrefix ? words : null
}

const marker = "[auth][error] "
const consoleLine = /^(\w{1,64}): (.*) \(reference ([0-9A-Z]{4}-[0-9A-Z]{2})\)$/
const causeLine = /(?:^|[\s|])\[cause\] (.*)$/

function readConsole(text: string, depth: number): FailureEntry | null {
  const at = text.indexOf(marker)
  const prefix = at < 0 ? null : readPrefix(text.slice(0, at).replace(syslog, "$1 "))
  const [, error, message, reference = ""] = prefix
    ? (consoleLine.exec(text.slice(at + marker.length).trim()) ?? [])
    : []
  if (error === undefined || !prefix || !referencePattern.test(reference)) return null
  const time = findTimeInText(prefix.join(" "))
  return { reference, error, depth, facts: {}, ...(message !== undefined && { message }), ...(time && { time }) }
}

/** The text in the wrappers of a line. */
function unwrapText(line: string, depth = 0): string {
  const json = findObject(toPlain(line))
  const inner = json && wrappers.map((name) => json[name]).find((each) => typeof each === "string")
  return typeof inner === "string" && depth < maxDepth ? unwrapText(inner, depth + 1) : line
}

/** What facts may be called, and what they may be. */
const factNames = new Set([
  "ageSeconds",
  "allowed",
  "allowedSeconds",
  "callback",
  "characters",
  "check",
  "endpoint",
  "error",
  "expected",
  "from",
  "guess",
  "host",
  "isSealed",
  "method",
  "otherFlows",
  "status",
])

function readFacts(fields: Readonly<Record<string, unknown>>): FailureFacts {
  const facts: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (!factNames.has(name)) continue
    if (typeof value === "number" || typeof value === "boolean") facts[name] = value
    else if (value === "true" || value === "false") facts[name] = value === "true"
    else if (typeof value === "string" && /^-?\d{1,15}$/.test(value)) facts[name] = Number(value)
    else if (typeof value === "string" && /^[\w .:/,[\]-]{1,200}$/.test(value)) facts[name] = value
  }
  return facts
}

function findObject(text: string): Readonly<Record<string, unknown>> | null {
  const start = text.indexOf("{")
  // Behind a time or a level, but not in the middle of a sentence, such as an access log with a user agent.
  if (start < 0 || (start > 0 && /["'=]/.test(text.slice(0, start)))) return null
  try {
    const parsed: unknown = JSON.parse(text.slice(start, text.lastIndexOf("}") + 1))
    return isObject(parsed) ? parsed : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function toTime(json: Readonly<Record<string, unknown>>): { readonly time?: string } {
  const time = findTime(json)
  return time === undefined ? {} : { time }
}

function findTime(json: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ["time", "timestamp", "@timestamp", "ts"]) {
    const value = json[name]
    if (typeof value === "string" && isoTime.test(value)) return `${value.slice(0, toMillisecond)}Z`
    const date = typeof value === "number" ? new Date(value < 1e11 ? value * 1000 : value) : findDate(value)
    if (date && !Number.isNaN(date.valueOf())) return date.toISOString()
  }
  return undefined
}

/** What `toISOString` and containers write. Most lines have it, and a date is slow to make. */
const isoTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3,9}Z$/
const toMillisecond = "2026-11-28T08:15:06.123".length

function findDate(value: unknown): Date | null {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? parseTime(value) : null
}

function findTimeInText(text: string): string | undefined {
  const [found] = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/.exec(text) ?? []
  const date = found === undefined ? null : parseTime(found)
  return date && !Number.isNaN(date.valueOf()) ? date.toISOString() : undefined
}

/** A time without a zone is in UTC. */
function parseTime(text: string): Date {
  return new Date(/[Z+]|-\d\d:?\d\d$/.test(text.slice(19)) ? text : `${text}Z`)
}

/** The first line, without colors and control characters. */
function toPlain(text: string): string {
  // Most lines have none.
  if (!/\p{Cc}/u.test(text)) return text
  const [line = ""] = text.split("\n", 1)
  return stripVTControlCharacters(line)
    .replaceAll("\t", " ")
    .replaceAll(/\p{Cc}/gu, "")
}
