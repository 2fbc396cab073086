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

export interface HandOverOptions {
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
export async function handOver(
  service: MailService,
  { url, headers, body }: MailRequest,
  { call = fetch, deadlineMs = defaultDeadlineMs }: HandOverOptions = {},
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
