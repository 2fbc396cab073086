import { isIP } from "node:net"
import { relative, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type CommandContext, trimSlashes, UsageError } from "../config.js"
import { createProgress } from "../terminal.js"
import { findAppFolder, readEnvironment, withoutFileVariables } from "./app-files.js"
import { examineFiles } from "./files.js"
import { findConfigFile } from "./find-config.js"
import {
  CannotLook,
  type DoctorInput,
  type Examination,
  type FindingCode,
  findingCodes,
  findingKinds,
  isFindingCode,
  type Source,
  type SourceName,
} from "./finding.js"
import { examineInside } from "./inside.js"
import { liveSource } from "./load-config.js"
import { examinePublicRoutes } from "./public-routes.js"
import { arrange, type Report, toExitCode, toJson, toText } from "./report.js"

const usage = `Usage: latchkey doctor [options]

Looks for mistakes that keep people from signing in, and says which line to change. With --url it asks the running site, and
with --config it reads the configuration; with both, it names each mistake once, at its cause.

  --url <url>             the base URL of the site, such as https://app.example/auth
  --config <file>         the file that configures the service. Default: without --url, the one with a usual name
  --send-mail <address>   sends one mail there by the app's own sender
  --dns-server <address>  asks this server for the records of mail, such as 1.1.1.1, instead of those of this machine
  --only <codes>          looks for these findings alone, separated by commas
  --strict                fails on warnings, too
  --json                  prints JSON
  --insecure              accepts certificates that are not valid
  --help                  prints this help

The exit code is 0 if nothing was found, 1 if there is an error, and 2 if it could not look. It changes nothing, and makes at
most 60 requests to the site. With doctor: answerDoctor() in the configuration of the site, and its AUTH_SECRET in the environment,
it also sees what arrives at the app.
`

const options = {
  url: { type: "string" },
  config: { type: "string" },
  "send-mail": { type: "string" },
  "dns-server": { type: "string" },
  only: { type: "string" },
  strict: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  insecure: { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
} as const

/** A source, and what it needs. */
interface KnownSource {
  readonly name: SourceName
  readonly needs: "url" | "config"
  readonly examine: Source
}

/** All sources, in the order in which they look. */
const sources: readonly KnownSource[] = [
  { name: "public-routes", needs: "url", examine: examinePublicRoutes },
  { name: "inside", needs: "url", examine: (input) => examineInside(input, readSecrets(input)) },
  { name: "configuration", needs: "config", examine: liveSource("configuration") },
  { name: "files", needs: "config", examine: examineFiles },
  { name: "providers", needs: "config", examine: liveSource("providers") },
  { name: "store", needs: "config", examine: liveSource("store") },
  { name: "mail", needs: "config", examine: liveSource("mail") },
]

const secretNames = ["AUTH_SECRET_3", "AUTH_SECRET_2", "AUTH_SECRET_1", "AUTH_SECRET", "NEXTAUTH_SECRET"] as const

/** The secrets of the site, the newest first, as the service reads them: also from the environment files of the app. */
function readSecrets({ config, context: { environment, folder } }: DoctorInput): readonly string[] {
  const variables =
    config === undefined ? environment : readEnvironment(findAppFolder(config), folder, environment).variables
  return secretNames.flatMap((name) => variables[name] || [])
}

/**
 * `latchkey doctor`.
 * @returns the exit code: 1 if there is an error, 2 if a source could not look
 * @throws UsageError when the arguments are wrong. It repeats none of them: one may have a password.
 */
export async function doctor(args: readonly string[], given: CommandContext): Promise<number> {
  const isBun = "bun" in process.versions
  const context = isBun ? { ...given, environment: withoutFileVariables(given.environment, given.folder) } : given
  const { values } = parseArgs({ args: [...args], options })
  if (values.help) {
    context.print(usage)
    return 0
  }
  const only = values.only === undefined ? null : readCodes(values.only)
  const url = values.url === undefined ? undefined : readUrl(values.url)
  // Without either, the configuration has one of the usual names.
  const found = url === undefined ? findConfigFile(context.folder) : undefined
  const config = values.config === undefined ? found : resolve(context.folder, values.config)
  if (url === undefined && config === undefined)
    throw new UsageError(
      "Name the site with --url, as in --url https://app.example/auth, or the configuration with --config.",
    )
  const progress = createProgress(context)
  const input: DoctorInput = {
    ...(url && { url }),
    ...(config !== undefined && { config }),
    ...readMailOptions(values),
    asked: new Set(sources.flatMap(({ name }) => (isWanted(name, only) ? [name] : []))),
    insecure: values.insecure,
    context,
    progress,
  }
  const report = await examine(input, only)
  progress.clear()
  context.print(values.json ? toJson(report) : toText(report, context))
  return toExitCode(report, values.strict)
}

/** @throws UsageError for what is not an address */
function readMailOptions(values: {
  readonly "send-mail"?: string | undefined
  readonly "dns-server"?: string | undefined
}): Pick<DoctorInput, "sendMail" | "dnsServer"> {
  const { "send-mail": sendMail, "dns-server": dnsServer } = values
  if (sendMail !== undefined && !/^[^\s<>@,;]{1,64}@[^\s<>@,;]{1,190}$/.test(sendMail))
    throw new UsageError("--send-mail must be one address, such as you@app.example.")
  if (dnsServer !== undefined && !isDnsServer(dnsServer))
    throw new UsageError("--dns-server must be an IP address, such as 1.1.1.1 or 127.0.0.1:5353.")
  return { ...(sendMail !== undefined && { sendMail }), ...(dnsServer !== undefined && { dnsServer }) }
}

/** Asks the sources, one after the other. */
async function examine(input: DoctorInput, only: ReadonlySet<FindingCode> | null): Promise<Report> {
  const checkedAt = new Date()
  const asked = sources.filter(({ name, needs }) => input[needs] !== undefined && isWanted(name, only))
  const examined: Examination[] = []
  let isSiteSilent = false
  for (const { name, needs, examine: look } of asked) {
    // One sentence about a site that does not answer is enough.
    if (needs === "url" && isSiteSilent) continue
    input.progress.step(`Checking: ${name}`)
    const found = await lookOnce(name, () => look(input))
    isSiteSilent ||= needs === "url" && found.isCutShort === true
    examined.push(found)
  }
  const isShown = (code: string) => only === null || !isFindingCode(code) || only.has(code)
  return {
    checkedAt,
    url: input.url?.href ?? null,
    config: input.config === undefined ? null : relative(input.context.folder, input.config),
    findings: arrange(examined.flatMap(({ findings }) => findings).filter(({ code }) => isShown(code))),
    unchecked: examined.flatMap(({ unchecked }) => unchecked).filter(({ code }) => isShown(code)),
    isBlind: examined.some(({ isCutShort }) => isCutShort === true),
    seconds: (Date.now() - checkedAt.getTime()) / 1000,
  }
}

async function lookOnce(name: SourceName, look: () => Promise<Examination>): Promise<Examination> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof CannotLook)) throw error
    return { findings: [], unchecked: [{ code: name, reason: error.message }], isCutShort: true }
  }
}

function isWanted(name: SourceName, only: ReadonlySet<FindingCode> | null): boolean {
  return only === null || [...only].some((code) => findingKinds[code].sources.includes(name))
}

/** An address, with a port or without: `[2606:4700:4700::1111]:53`. */
function isDnsServer(text: string): boolean {
  const [, bracketed, plain = text] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(text) ?? []
  return isIP(bracketed ?? plain) !== 0
}

/** The codes of `--only`. */
function readCodes(text: string): ReadonlySet<FindingCode> {
  const given = text.split(",").map((code) => code.trim())
  const codes = given.filter(isFindingCode)
  if (codes.length === given.length) return new Set(codes)
  throw new UsageError(`--only has an unknown code. The codes are: ${findingCodes.join(", ")}.`)
}

/** The base URL, without a slash at its end. */
function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new UsageError("--url must be the base URL of the site, such as https://app.example/auth.")
  if (url.username !== "" || url.password !== "")
    throw new UsageError("--url must not have a user name or a password: it is shown in the report.")
  if (url.search !== "" || url.hash !== "") throw new UsageError("--url must not have a query or a fragment.")
  url.pathname = trimSlashes(url.pathname)
  return url
}
