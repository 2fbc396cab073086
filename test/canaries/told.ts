import { inspect } from "node:util"
import { type FailureReason, findReasonOfType, isFailureReason } from "@latchkey/core/diagnosis"
import { AuthError } from "@latchkey/core/errors"
import type { LogRecord } from "@latchkey/core/types"
import { type Canary, findLeaks } from "@latchkey/testkit"
import { vi } from "vitest"
import { runHere } from "../../packages/cli/test/command.js"
import { findReason } from "../../packages/core/src/errors/failure-reason.js"
import { consoleLogger } from "../../packages/core/src/log/console.js"
import { origin, personMark, type Stage, secretMark } from "./stage.js"

/** Searches everything that operators and visitors are told after a flow failed. @returns a line for each secret in it */
export async function findTold(stage: Stage): Promise<string> {
  const { host } = stage
  const everything = [...canariesOf(stage), ...marks]
  const log = await writeLog(stage)
  const pages = await openErrorPages(stage)
  return [
    ...search("the log", log, everything),
    ...search("a thorough logger", host.logger.texts(), everything),
    ...search("explain", await explainAll(stage, log), everything),
    ...search("an error page", pages, everything),
    ...search("a refusal", refusals(stage), [...canariesOf(stage).filter(isSecret), secretOnly]),
    ...search("JSON of a refusal", refusals(stage, true), everything),
    ...search("an address", locations(stage), everything),
  ].join("\n")
}

const secretOnly = { name: "secret mark", value: secretMark }
const marks: readonly Canary[] = [secretOnly, { name: "person mark", value: personMark }]

function search(place: string, texts: readonly string[], canaries: readonly Canary[]): readonly string[] {
  return findLeaks(texts, canaries).map(({ canary, text, at }) => {
    const shown = (texts[text] ?? "").slice(Math.max(0, at - 100), at + 60)
    return `${place} has ${canary}: ${JSON.stringify(shown)}`
  })
}

/** Form values that the form shows again belong to the visitor. */
const isSecret = ({ name }: Canary) =>
  !/^(?:field (?!password|pin|code|token|secret)|query |user agent|file|cookie)/.test(name)

/** Everything that no text for operators may have. */
function canariesOf({ host, mails, sent }: Stage): readonly Canary[] {
  const { canaries, idp, mailbox, answers } = host
  const asked = [...idp.requests.authorization, ...idp.requests.token].flatMap(({ params }) =>
    [...params].filter(([name]) => /^(?:state|nonce|code|code_verifier|refresh_token)$/.test(name)),
  )
  const cookies = answers.flatMap(({ cookies }) => cookies.map((line) => /^([^=]+)=([^;]*)/.exec(line) ?? []))
  const set = cookies.filter(([, name = ""]) => !/callback-url|error-reference/.test(name))
  const mailed = mailbox.messages.flatMap(({ to, token, code = "", url }) => [to, token, code, url])
  const own = mails.flatMap(({ to, text }) => [to, ...(text.match(/https?:\S+[?&]\S+|^\d{6}$/gm) ?? [])])
  return [
    ...canaries.all,
    ...idp.issued,
    ...sent.all,
    ...asked.map(([name, value]) => ({ name, value })),
    ...set.flatMap(([, name = "", value = ""]) =>
      value.split(/%7C|\|/).map((part) => ({ name: `cookie ${name}`, value: part })),
    ),
    ...[...mailed, ...own].map((value) => ({ name: "mail", value })),
  ].filter(({ value }) => value.length >= 6)
}

/** The lines of the console, of `logger.record`, and of `debug`. */
async function writeLog({ host: { logger } }: Stage): Promise<readonly string[]> {
  const lines: string[] = []
  const written = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)))
  for (const error of logger.errors) consoleLogger.error(error)
  written.mockRestore()
  const debugs = logger.debugs.map(({ message, metadata }) => `${message} ${inspect(metadata, { depth: 9 })}`)
  const warnings = [...logger.warnings, ...logger.warningDetails]
  return [...lines, ...logger.records.map((each) => JSON.stringify(each)), ...warnings, ...debugs]
}

async function* inputOf(lines: readonly string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(`${lines.join("\n")}\n`)
}

const explain = async (args: readonly string[], log: readonly string[]): Promise<string> =>
  (await runHere(["explain", ...args], { folder: "/", input: inputOf(log) })).output

async function explainAll(stage: Stage, log: readonly string[]): Promise<readonly string[]> {
  const { reference } = findLast(stage) ?? {}
  const about =
    reference === undefined ? [] : [await explain([reference], log), await explain([reference, "--json"], log)]
  return [...about, await explain([], log)]
}

interface LastFailure {
  readonly reference: string
  readonly reason: FailureReason | null
}

/** The last failure: that of the last record, or an error that the app logged itself. */
function findLast({ host: { logger } }: Stage): LastFailure | undefined {
  const record = logger.records.findLast(isFailure)
  if (record) return { reference: record.reference, reason: record.reason ?? findReasonOfType(record.error) }
  const error = logger.errors.findLast((each) => each instanceof AuthError)
  return error && { reference: error.reference, reason: findReason(error)?.reason ?? findReasonOfType(error.type) }
}

const isFailure = (record: LogRecord): record is Extract<LogRecord, { outcome: "failure" }> =>
  record.outcome === "failure"

/** The reason of the last failure, as `explain` finds it by its reference. Null without a failure. */
export async function findExplained(stage: Stage): Promise<FailureReason | null> {
  const last = findLast(stage)
  if (!last) return null
  const told: { readonly reason?: string } = JSON.parse(
    (await explain([last.reference, "--json"], await writeLog(stage))) || "{}",
  )
  if (told.reason !== last.reason) throw new Error(`explain tells ${told.reason}, and the log says ${last.reason}`)
  return told.reason !== undefined && isFailureReason(told.reason) ? told.reason : null
}

/** The pages that failures lead to, as a developer on this machine and as everybody else sees them. */
async function openErrorPages({ host }: Stage): Promise<readonly string[]> {
  const pages: string[] = []
  const seen = new Set<string>()
  for (const { headers, cookies } of [...host.answers]) {
    const target = URL.parse(headers["location"] ?? "", origin)
    const reference = cookies
      .map((line) => line.split(";", 1)[0] ?? "")
      .find((pair) => pair.includes("error-reference"))
    if (!target || target.origin !== origin || !target.searchParams.has("error") || reference === undefined) continue
    if (seen.has(reference)) continue
    seen.add(reference)
    for (const more of [{}, { "x-forwarded-for": "192.0.2.1" }]) {
      const page = await host.handler(
        new Request(target, { headers: { cookie: reference, accept: "text/html", ...more } }),
      )
      pages.push(await page.text())
    }
  }
  return pages
}

/** Answers that refuse something. */
function refusals({ host: { answers } }: Stage, isJson?: true): readonly string[] {
  const refused = answers.filter(({ status, url }) => status >= 400 || /[?&](?:error|refused)=/.test(url))
  const wanted = refused.filter(({ headers }) => !isJson || headers["content-type"]?.includes("json"))
  return wanted.map(({ body, headers }) => [body, ...Object.entries(headers)].flat().join("\n"))
}

/** Where answers lead, except to a provider, to a native app, and back to where the visitor wanted to go. */
function locations({ host: { answers } }: Stage): readonly string[] {
  return answers.flatMap(({ headers }) => {
    const target = URL.parse(headers["location"] ?? "", origin)
    if (!target || target.origin !== origin || target.pathname === "/in") return []
    target.searchParams.delete("callbackUrl")
    return [target.href]
  })
}
