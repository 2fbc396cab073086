import { customFetch, type OptionRule } from "../types/basics.js"
import type { EmailConfig, EmailUserConfig, VerificationRequestParams } from "../types/providers.js"
import type { SignInMail } from "./message.js"

/** A request that hands a mail to a service. The headers hold the key. */
export interface MailRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON text, or a form. */
  readonly body: string | FormData
}

/** A service that takes mail over HTTP. */
export interface MailService {
  /** As it stands in errors. */
  readonly name: string
  /** Whether an answer of a 2xx status says that the mail was refused. Default: the status says all. */
  readonly isRefusal?: (answer: Readonly<Record<string, unknown>>) => boolean
}

interface DeliverOptions {
  /** Default: the platform's. */
  readonly call?: typeof fetch | undefined
  /** For the call and its answer. Default: 8 seconds, which ends before the service gives up on the host's code. */
  readonly deadlineMs?: number
}

const defaultDeadlineMs = 8_000
const maxAnswerBytes = 64 * 1024

/**
 * Hands a mail over, once, and follows no redirect, which would take the key elsewhere.
 * @throws Error that names the service and the status of its answer. Nothing of request or answer is in it, nor a
 *   cause: both may repeat the key, the address or the link.
 */
export async function deliver(
  service: MailService,
  { url, headers, body }: MailRequest,
  { call = fetch, deadlineMs = defaultDeadlineMs }: DeliverOptions = {},
): Promise<void> {
  const signal = AbortSignal.timeout(deadlineMs)
  const sent = { "user-agent": "latchkey", accept: "application/json", ...headers }
  const exchange = async (): Promise<string | null> => {
    const response = await call(url, { method: "POST", headers: sent, body, redirect: "manual", signal })
    return findFault(service, response)
  }
  const fault = await untilAborted(exchange(), signal).catch((error: unknown) => {
    return signal.aborted ? "did not answer in time" : `cannot be reached${reasonOf(error)}`
  })
  if (fault !== null) throw new Error(`${service.name} ${fault}`)
}

/** A host's own `fetch` may not know signals. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

/** Null when the mail was taken. */
async function findFault({ isRefusal }: MailService, response: Response): Promise<string | null> {
  const { status } = response
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  if (isRedirect || !response.ok || isRefusal === undefined) {
    await response.body?.cancel()
    if (isRedirect) return "redirects, which is not followed"
    return response.ok ? null : `did not accept the mail (status ${status})`
  }
  const answer = parseObject(await readText(response))
  if (answer === null) return `answered something unknown (status ${status})`
  return isRefusal(answer) ? `did not accept the mail (status ${status})` : null
}

/** Text of a bounded length; of more, only the beginning. */
async function readText({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    size += next.value.byteLength
    if (size > maxAnswerBytes) {
      await reader?.cancel()
      return text
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : null
  } catch {
    return null // Which no JSON object means.
  }
}

/** A system error code such as ECONNREFUSED, or the error's name. */
function reasonOf(error: unknown): string {
  const { name, code, cause }: { readonly name?: unknown; readonly code?: unknown; readonly cause?: unknown } =
    Object(error)
  const { code: inner }: { readonly code?: unknown } = Object(cause)
  const found = [inner, code, name].find((part) => typeof part === "string" && /^[A-Za-z][A-Za-z\d_]{2,40}$/.test(part))
  return found === undefined ? "" : ` (${found})`
}

/** A service that takes whole mails. */
export interface WholeMailService extends MailService {
  readonly toRequest: (mail: OutgoingMail, apiKey: string) => MailRequest
}

/**
 * Mails a sign-in link through a service.
 * @throws TypeError without a usable key; Error when the service does not take the mail.
 */
export async function sendMail(service: WholeMailService, params: VerificationRequestParams): Promise<void> {
  const { provider } = params
  const apiKey = getKey(provider)
  const request = service.toRequest(await writeMail(params), apiKey)
  await deliver(service, request, { call: provider[customFetch] })
}

export function jsonRequest(url: string, headers: MailRequest["headers"], body: unknown): MailRequest {
  return { url, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) }
}

/** How long a mailed link works unless the host says otherwise. */
export const defaultMaxAgeSeconds: number = 24 * 60 * 60

/** A mail that carries a sign-in link, ready to be sent. */
export interface OutgoingMail extends SignInMail {
  readonly to: string
  /** `Name <address>`, or a plain address. */
  readonly from: string
}

/** The sign-in mail, from the provider's `from` or from `no-reply@` and the service's host name. */
export async function writeMail({
  identifier,
  url,
  provider,
  theme,
}: VerificationRequestParams): Promise<OutgoingMail> {
  const { host, hostname } = new URL(url)
  // Loaded with the first mail: it brings the renderer along.
  const { signInMail } = await import("./message.js")
  const mail = signInMail({ url, host, theme, validSeconds: provider.maxAge ?? defaultMaxAgeSeconds })
  return { to: identifier, from: provider.from ?? `no-reply@${hostname}`, ...mail }
}

/** Who a mail is from. */
interface Sender {
  readonly email: string
  readonly name?: string
}

/**
 * Takes `Name <address>`, or a plain address, apart.
 * @throws TypeError when there is no address.
 */
export function parseSender(from: string): Sender {
  const [, name = "", address] = /^([^<>]*)<([^<>]+)>\s*$/.exec(from) ?? []
  const email = (address ?? from).trim()
  if (!/^[^\s@<>,;]+@[^\s@<>,;/?#]+$/.test(email)) {
    throw new TypeError('`from` must be an address, or "Name <address>"')
  }
  const plainName = name.trim().replace(/^"(.*)"$/, "$1")
  return plainName === "" ? { email } : { email, name: plainName }
}

/**
 * What makes a text a key: characters that can stand in a header. A line break at the end is easily read from a file
 * along with it, and the error of `Headers` would quote the whole key.
 */
const apiKeyRule: OptionRule = (value) => {
  if (value === undefined || value === "") return "is missing"
  const isKey = typeof value === "string" && /^[\x21-\x7e]+$/.test(value)
  return isKey ? null : "must be text without spaces or line breaks"
}

/** Rules for the options of a mail service. A host that sends in its own way needs none of them, nor a key. */
export function senderRules({ sendVerificationRequest }: EmailUserConfig, others: OptionRules = {}): OptionRules {
  return sendVerificationRequest ? {} : { apiKey: apiKeyRule, ...others }
}

type OptionRules = Readonly<Record<string, OptionRule>>

/**
 * The provider's key.
 * @throws TypeError when there is none that can be sent.
 */
export function getKey({ id, apiKey }: EmailConfig): string {
  const mistake = apiKeyRule(apiKey)
  if (apiKey !== undefined && mistake === null) return apiKey
  throw new TypeError(`providers.${id}.apiKey: ${mistake}`)
}
