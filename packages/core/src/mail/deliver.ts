import { isRecord, parseJson } from "../runtime/json.js"
import { customFetch, type OptionRule } from "../types/basics.js"
import type { EmailConfig, EmailUserConfig, VerificationRequestParams } from "../types/providers.js"
import type { SignInMail } from "./message.js"
import { setMailCode } from "./own-sender.js"
import { codeMaxAgeSeconds } from "./secret.js"

/** A mail service with an HTTP API. */
export interface MailService {
  /** The name in error messages. */
  readonly name: string
  /** Whether the answer refuses the mail although its status is 2xx. Default: the status decides. */
  readonly isRefusal?: (answer: Readonly<Record<string, unknown>>) => boolean
}

/** A mail service that accepts whole mails, rather than templates. */
export interface WholeMailService extends MailService {
  readonly toRequest: (mail: OutgoingMail, apiKey: string) => MailRequest
}

/** A sign-in mail with sender and recipient. */
export interface OutgoingMail extends SignInMail {
  readonly to: string
  /** An address, or `Name <address>`. */
  readonly from: string
}

/** A request that sends a mail. The headers contain the API key. */
export interface MailRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON text, or a form. */
  readonly body: string | FormData
}

/**
 * Mails a sign-in link through a service.
 * @throws TypeError without a valid API key; Error if the service does not accept the mail.
 */
export async function sendMail(service: WholeMailService, params: VerificationRequestParams): Promise<void> {
  const { provider } = params
  const apiKey = getKey(provider)
  const request = service.toRequest(await writeMail(params), apiKey)
  await deliver(service, request, { call: provider[customFetch] })
}

/** How long a sign-in link is valid by default. */
export const defaultMaxAgeSeconds: number = 24 * 60 * 60

/** Writes the sign-in mail, unless another one is given. The sender is the provider's `from`, or `no-reply@` and the service's host name. */
export async function writeMail({
  identifier,
  url,
  code,
  provider,
  theme,
  message,
  locale,
}: VerificationRequestParams): Promise<OutgoingMail> {
  const { host, hostname } = new URL(url)
  const sender = { to: identifier, from: provider.from ?? `no-reply@${hostname}` }
  if (message) return { ...sender, ...message }
  // Loaded with the first mail, because it loads the page renderer.
  const { signInMail } = await import("./message.js")
  const { maxAge = defaultMaxAgeSeconds } = provider
  const mail = signInMail({
    url,
    host,
    theme,
    validSeconds: maxAge,
    code,
    codeSeconds: Math.min(codeMaxAgeSeconds, maxAge),
    isCodeInSubject: provider.codeInSubject === true,
    ...(locale && { locale }),
  })
  return { ...sender, ...mail }
}

type SendRequest = EmailConfig["sendVerificationRequest"]

/** Notes that a sender sends any mail that it is given. */
export function sendsMessages(send: SendRequest): SendRequest {
  // Loaded with the first mail, because it loads the page renderer.
  setMailCode(send, { loadWriter: () => import("./message.js"), loadNotices: () => import("./notices.js") })
  return send
}

/** A POST request with a JSON body. */
export function jsonRequest(url: string, headers: MailRequest["headers"], body: unknown): MailRequest {
  return { url, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) }
}

interface DeliverOptions {
  /** Default: the platform's. */
  readonly call?: typeof fetch | undefined
  /** Time for the call and its answer. Default: 8 seconds, less than the service waits for the app's code. */
  readonly deadlineMs?: number
}

/**
 * Sends the request once. Redirects are not followed, because they would pass the API key on.
 * @throws Error with the name of the service and the status of its answer. It has no cause and quotes neither request
 *   nor answer: both may contain the API key, the address or the link.
 */
export async function deliver(
  service: MailService,
  { url, headers, body }: MailRequest,
  { call = fetch, deadlineMs = 8_000 }: DeliverOptions = {},
): Promise<void> {
  const signal = AbortSignal.timeout(deadlineMs)
  const sent = { "user-agent": "latchkey", accept: "application/json", ...headers }
  const exchange = async (): Promise<string | null> => {
    const response = await call(url, { method: "POST", headers: sent, body, redirect: "manual", signal })
    return findFault(service, response)
  }
  const fault = await untilAborted(exchange(), signal).catch((error: unknown) => {
    return signal.aborted ? "did not answer in time" : `cannot be reached${describeReason(error)}`
  })
  if (fault !== null) throw new Error(`${service.name} ${fault}`)
}

/** Needed because a custom `fetch` may ignore the signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

const maxAnswerBytes = 64 * 1024

/** Null if the mail was accepted. */
async function findFault({ isRefusal }: MailService, response: Response): Promise<string | null> {
  const { status } = response
  const isRedirect = status === 0 || (status >= 300 && status < 400)
  if (isRedirect || !response.ok || isRefusal === undefined) {
    await response.body?.cancel()
    if (isRedirect) return "answered with a redirect, which is not followed"
    return response.ok ? null : `did not accept the mail (status ${status})`
  }
  // Loaded here, because most services need no body and a request without a body never loads the reader.
  const { decodeText, readBounded } = await import("../http/body.js")
  const chunks = response.body ? await readBounded(response.body, maxAnswerBytes) : null
  const answer = parseJson(decodeText(chunks ?? []))
  if (!isRecord(answer)) return `sent an unknown answer (status ${status})`
  return isRefusal(answer) ? `did not accept the mail (status ${status})` : null
}

/** A system error code such as ECONNREFUSED, or the error's name. */
function describeReason(error: unknown): string {
  const { name, code, cause }: { readonly name?: unknown; readonly code?: unknown; readonly cause?: unknown } =
    Object(error)
  const { code: inner }: { readonly code?: unknown } = Object(cause)
  const found = [inner, code, name].find((part) => typeof part === "string" && /^[A-Za-z][A-Za-z\d_]{2,40}$/.test(part))
  return found === undefined ? "" : ` (${found})`
}

/** The sender of a mail. */
interface Sender {
  readonly email: string
  readonly name?: string
}

/**
 * Splits `Name <address>`; a plain address has no name.
 * @throws TypeError for an invalid address.
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

type OptionRules = Readonly<Record<string, OptionRule>>

/** Option rules of a mail service. With a custom `sendVerificationRequest` none apply, because no key is needed. */
export function senderRules({ sendVerificationRequest }: EmailUserConfig, others: OptionRules = {}): OptionRules {
  return sendVerificationRequest ? {} : { apiKey: apiKeyRule, ...others }
}

/**
 * Accepts only characters that a header may contain. A key read from a file easily ends with a line break, and the
 * error of `Headers` would quote the whole key.
 */
const apiKeyRule: OptionRule = (value) => {
  if (value === undefined || value === "") return "is missing"
  const isKey = typeof value === "string" && /^[\x21-\x7e]+$/.test(value)
  return isKey ? null : "must be text without spaces or line breaks"
}

/**
 * Returns the provider's API key.
 * @throws TypeError if it is missing or invalid.
 */
export function getKey({ id, apiKey }: EmailConfig): string {
  const mistake = apiKeyRule(apiKey)
  if (apiKey !== undefined && mistake === null) return apiKey
  throw new TypeError(`providers.${id}.apiKey: ${mistake}`)
}
