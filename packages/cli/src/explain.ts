import { open } from "node:fs/promises"
import { basename, resolve } from "node:path"
import { parseArgs } from "node:util"
import {
  type FailureReason,
  findReasonOfType,
  isFailureReason,
  isGeneralReason,
  tellStory,
} from "@latchkey/core/diagnosis"
import { type CommandContext, UsageError } from "./config.js"
import { type FailureEntry, readEntry, withCause } from "./log-entries.js"
import { createPaint, escapeText, type Paint, symbols, toGuideText, toJsonLine, wrap } from "./terminal.js"

const usage = `Usage: latchkey explain [reference] [options]

Tells from a log why something failed, and what to change. The error page shows the reference to the visitor. Without one: the
reasons in the log, by count, with the newest reference of each.

  --file <log>     the log; default: the standard input, as in: kubectl logs deploy/app | npx --no latchkey explain
  --json           prints JSON
  --help           prints this help

Reads lines of the console, and JSON of logger.record in the wrappers of pino, winston, Bunyan, Docker, CloudWatch, Google Cloud,
Vercel and Fly. The exit code is 1 if the log does not have the reference.
`

/**
 * `latchkey explain`.
 * @returns the exit code: 1 if the log has no such reference, or no failure
 * @throws UsageError when the arguments are wrong, or the log cannot be read
 */
export async function explain(args: readonly string[], context: CommandContext): Promise<number> {
  const options = {
    file: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h" },
  } as const
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) {
    context.print(usage)
    return 0
  }
  const [given, ...more] = positionals
  const reference = given?.toUpperCase()
  if (more.length > 0 || (reference !== undefined && !/^[0-9A-Z]{4}-[0-9A-Z]{2}$/.test(reference)))
    throw new UsageError("The reference is the one that the error page shows, such as 7F3K-Q2.")
  const log = openLog(values.file, context)
  const paint = createPaint(context)
  const shown = reference === undefined ? await summarize(log, paint) : await find(log, reference, paint)
  if (shown === null) {
    const name = values.file === undefined ? "The log" : basename(values.file)
    context.printError(reference === undefined ? `${name} has no failure.\n` : `${name} does not have ${reference}.\n`)
    return 1
  }
  context.print(values.json ? toJsonLine({ version: 1, ...shown.json }) : shown.text)
  return 0
}

function openLog(file: string | undefined, { folder, input }: CommandContext): AsyncIterable<Buffer> {
  if (file !== undefined) return readFile(resolve(folder, file))
  if (!input) throw new UsageError("Name the log with --file, or send it to the standard input.")
  return input
}

/** Reads a file in parts of one buffer: each is valid until the next. */
async function* readFile(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path)
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

interface Shown {
  readonly text: string
  readonly json: object
}

/** The story of one reference. The line with the fewest wrappers decides: no visitor can write it. */
async function find(log: AsyncIterable<Buffer>, reference: string, paint: Paint): Promise<Shown | null> {
  const found: FailureEntry[] = []
  const related = new Map<string, FailureEntry>()
  const note = (other: FailureEntry) => {
    const isOther = other.reference !== reference && found.some(({ requestId }) => requestId === other.requestId)
    if (isOther && related.size < maxRelated) related.set(other.reference, other)
  }
  await readLog(log, (text, from, isLast) => {
    if (found.length > maxFound) return text.length
    const end = readEntries(text, { from, isLast, needle: reference }, (entry) => {
      if (entry.reference === reference) found.push(entry)
    })
    // Also those before the line: the window has more than what is new.
    const requests = new Set(found.slice(0, maxRelated).flatMap(({ requestId }) => requestId ?? []))
    for (const needle of requests) readEntries(text, { from: 0, isLast, needle }, note)
    return end
  })
  const least = Math.min(...found.map(({ depth }) => depth))
  const own = found.filter(({ depth }) => depth === least)
  if (own.length === 0) return null
  // The console and `logger.record` each have a part.
  const facts = Object.assign({}, ...own.map((each) => each.facts))
  const entry: FailureEntry = { ...Object.assign({}, ...[...own].reverse()), facts }
  return tell(
    entry,
    [...related.values()].filter(({ requestId }) => requestId === entry.requestId),
    paint,
  )
}

const maxFound = 100
const maxRelated = 3
const maxSeen = 2_000

function tell(entry: FailureEntry, related: readonly FailureEntry[], paint: Paint): Shown {
  const reason = findReason(entry)
  const story = reason && tellStory(reason, entry.facts)
  const head = [
    entry.reference,
    entry.time && toShownTime(entry.time),
    entry.provider && `provider ${entry.provider}`,
    entry.error && `${entry.error}${reason ? ` (${reason})` : ""}`,
  ]
  // Without a reason in the log, or with one that says no more than the type, the message says the rest.
  const isStated = entry.reason !== undefined || reason !== findReasonOfType(entry.error ?? "")
  const isKnown = story && isStated && !isGeneralReason(reason)
  const message = entry.message === undefined || isKnown ? [] : [escapeText(withoutSecrets(entry.message))]
  const also = related.map(({ reference, error = "" }) => `In the same request: ${error} (${reference}).`)
  const sentences = [...(story?.sentences ?? unknown), ...message, ...also.slice(0, 3)]
  const fixes = story?.fixes ?? []
  const text = [
    paint.strong(head.filter(Boolean).join(" · ")),
    ...wrap(sentences.join(" "), "  "),
    ...fixes.flatMap((fix) => wrap(fix, "    ", `  ${symbols.fix} `)),
    ...(story ? [paint.faint(`  Guide: ${toGuideText(story.guide)}`)] : []),
  ]
  const { depth, message: _, ...known } = entry
  return {
    text: `${text.join("\n")}\n`,
    json: { ...known, ...(reason && { reason }), sentences, fixes, guide: story?.guide },
  }
}

/** A token, and what may be one: the messages of an app's own errors are in the log as it wrote them. */
const secrets = /\beyJ[\w-]{5,}[\w.-]*|[\w-]{20,}/g

/** What may be an email address: the text between blanks, quotes, brackets and the delimiters of a query. */
const word = /[^\s"'<>()[\]{},;:=?&|]+/g

/** Whether a word has an email address, also as it is in a URL. */
const address = /.(?:@|%40)[\w-]+\.\w/

function withoutSecrets(message: string): string {
  const withoutPeople = message.replace(word, (text) => (address.test(text) ? "[withheld]" : text))
  return withoutPeople.replace(secrets, (text) => (/\d/.test(text) ? "[withheld]" : text))
}

const unknown = ["The log does not say why: another logger or an older version wrote it."]

interface Count {
  readonly entry: FailureEntry
  readonly reason: FailureReason | null
  readonly count: number
}

const maxReasons = 500
const shownReasons = 10

/** The reasons of a log. */
async function summarize(log: AsyncIterable<Buffer>, paint: Paint): Promise<Shown | null> {
  const counts = new Map<string, Count>()
  let [seen, before] = [new Set<string>(), new Set<string>()]
  const add = (entry: FailureEntry) => {
    // The console and `logger.record` write the same failure, one after the other.
    if (seen.has(entry.reference) || before.has(entry.reference)) return
    seen.add(entry.reference)
    // To remove the oldest one of a set takes longer than to read its line.
    if (seen.size === maxSeen) [seen, before] = [new Set(), seen]
    const reason = findReason(entry)
    const key = reason ?? entry.error ?? "unknown"
    const { count = 0 } = counts.get(key) ?? {}
    if (count > 0 || counts.size < maxReasons) counts.set(key, { entry, reason, count: count + 1 })
  }
  await readLog(log, (text, from, isLast) => readEntries(text, { from, isLast, needle: "reference" }, add))
  if (counts.size === 0) return null
  const sorted = [...counts].sort(([, one], [, other]) => other.count - one.count).slice(0, shownReasons)
  const width = String(sorted[0]?.[1].count ?? 0).length
  const text = sorted.flatMap(([name, { entry, reason, count }]) => [
    `${String(count).padStart(width)} × ${paint.strong(name)}, the newest ${entry.reference}${entry.time ? ` (${toShownTime(entry.time)})` : ""}`,
    ...(reason ? wrap(tellStory(reason, {}).sentences.slice(0, 2).join(" "), " ".repeat(width + 3)) : []),
  ])
  const json = sorted.map(([name, { entry, count }]) => ({
    reason: name,
    count,
    reference: entry.reference,
    time: entry.time,
  }))
  return { text: `${text.join("\n")}\n`, json: { reasons: json } }
}

/** The reason of a line; from its error and its message if a version without reasons wrote it. */
function findReason({ reason, error = "", message = "" }: FailureEntry): FailureReason | null {
  if (reason !== undefined && isFailureReason(reason)) return reason
  const known = messages.find(([pattern]) => pattern.test(message))
  return known?.[1] ?? findReasonOfType(error)
}

const messages: readonly (readonly [RegExp, FailureReason])[] = [
  [/^state: the flow began at another host/, "flow-other-host"],
  [/^state: the provider's issuer, client id/, "flow-other-client"],
  [/^state: another browser began the flow/, "flow-other-browser"],
  [
    /^(?:state|challenge): (?:the flow was )?already (?:completed|used)|^The browser completed the flow before/,
    "flow-completed",
  ],
  [/^state: this browser did not begin|^challenge: the cookie is missing/, "flow-cookies-missing"],
  [/^state: not issued by this service/, "state-other-secret"],
  [/^state: missing|^The state of the callback is missing/, "state-missing"],
  [/^state: sent more than once/, "state-repeated"],
  [/^(?:pkce|nonce): the check cookie/, "pkce-missing"],
  [/^The CSRF cookie is missing|^The form has no csrfToken/, "form-token-missing"],
  [/^The CSRF cookie was|^The csrfToken of the form/, "form-token-foreign"],
  [/^The form (?:came from|has no known origin)/, "form-other-origin"],
  [/invalid_client|unauthorized_client|incorrect_client_credentials/, "client-rejected"],
  [/redirect_uri_mismatch|invalid_redirect_uri/, "redirect-uri-rejected"],
  [/invalid_grant|bad_verification_code/, "code-rejected"],
  [/invalid_scope/, "scope-rejected"],
  [/^The provider answered "access_denied"/, "denied-by-user"],
  [/^The provider answered "/, "denied-by-provider"],
  [/endpoint (?:cannot be reached|did not answer)/, "provider-unreachable"],
  [/^callbacks\.signIn (?:refused|returned nothing)/, "sign-in-callback-refused"],
  [/which is not in allowedOrigins/, "host-not-listed"],
  [/^The email is too old|^The code has expired/, "link-expired"],
  [/^The email was used already/, "link-spent"],
  [/^The session has \d+ characters/, "session-too-large"],
]

const newline = 0x0a
const firstWindowSize = 64 * 1024
const windowSize = 4 * 1024 * 1024
const historySize = 256 * 1024
const maxLine = 1024 * 1024
const maxCauseLines = 8

/** Looks at the end of a log. @returns where the first line begins that is not whole */
type Scan = (text: Buffer, from: number, isLast: boolean) => number

/** Moves a window over a log of any size. It grows up to its largest size first. What comes before `from` was looked at. */
async function readLog(log: AsyncIterable<Buffer>, scan: Scan): Promise<void> {
  let window = Buffer.allocUnsafe(firstWindowSize)
  let [from, length] = [0, 0]
  const grow = () => {
    window = Buffer.concat([window], Math.min(4 * window.length, windowSize))
  }
  const move = () => {
    const end = scan(window.subarray(0, length), from, false)
    // A line without an end is kept, unless it is larger than any of ours.
    const start = Math.max(0, end - historySize, end < length - maxLine ? length - maxLine : 0)
    window.copyWithin(0, start, length)
    from = Math.max(0, end - start)
    length -= start
  }
  try {
    for await (const chunk of log) {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(window, length, at)
        at += copied
        length += copied
        if (length === windowSize) move()
        else if (length === window.length) grow()
      }
    }
  } catch (error) {
    throw new UsageError(`The log cannot be read: ${error instanceof Error ? error.message : "unknown error"}`)
  }
  scan(window.subarray(0, length), from, true)
}

interface Reading {
  readonly from: number
  readonly isLast: boolean
  /** Only lines that have it are parsed. */
  readonly needle: string
}

/** Reads the failures of the whole lines of a window. @returns where the first line begins that is not whole */
function readEntries(text: Buffer, { from, isLast, needle }: Reading, add: (entry: FailureEntry) => void): number {
  const last = isLast ? text.length : text.lastIndexOf(newline) + 1
  let position = from
  while (position < last) {
    const at = text.indexOf(needle, position, "latin1")
    if (at < 0 || at >= last) break
    const start = text.lastIndexOf(newline, at) + 1
    const end = endOfLine(text, at, last)
    const entry = end - start > maxLine ? null : readEntry(text.toString("utf8", start, end))
    const found = entry && withCauses(entry, text, end + 1, last)
    // The causes may come with the next lines.
    if (found?.isCut && !isLast && text.length - start < maxLine) return start
    if (found) add(found.entry)
    position = end + 1
  }
  return last
}

/** Adds the lines of causes that follow. */
function withCauses(entry: FailureEntry, text: Buffer, from: number, last: number) {
  let [found, start] = [entry, from]
  for (let n = 0; n < maxCauseLines; n++) {
    if (start >= last) return { entry: found, isCut: true }
    const end = endOfLine(text, start, last)
    const line = text.toString("utf8", start, Math.min(end, start + 4096))
    const more = line.includes("[cause]") ? withCause(found, line) : null
    if (more === null) break
    found = more
    start = end + 1
  }
  return { entry: found, isCut: false }
}

function endOfLine(text: Buffer, from: number, last: number): number {
  const end = text.indexOf(newline, from)
  return end < 0 || end > last ? last : end
}

function toShownTime(time: string): string {
  const date = new Date(time)
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
  return `${day}, ${time.slice(11, 19)} UTC`
}
