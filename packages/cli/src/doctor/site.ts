import { type LookupAddress, type LookupOptions, lookup as resolveName } from "node:dns"
import { type IncomingMessage, type RequestOptions, request as sendHttp } from "node:http"
import { request as sendHttps } from "node:https"
import { isIP } from "node:net"
import { CannotLook } from "./finding.js"

/** What the site answered. */
export interface Answer {
  readonly status: number
  /** By name in lower case. Repeated headers are joined by commas, except for `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The `Set-Cookie` headers. */
  readonly setCookies: readonly string[]
  /** The body; empty if it is compressed, although the request did not allow that. */
  readonly text: string
  /** When the answer began, in milliseconds since 1970. */
  readonly receivedAt: number
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: ReadonlyMap<string, string>
  /** The fields of a form. With them, the method is POST. */
  readonly form?: Readonly<Record<string, string>>
  /** A body of another kind. With it, the method is POST. */
  readonly body?: string
}

/** The running site. Redirects are never followed, and each request has a connection of its own. */
export interface Site {
  readonly url: URL
  /** The number of requests so far. */
  readonly count: number
  /**
   * Sends a request to a path below the base path, or below the origin if it begins with a slash.
   * @throws CannotLook when the request fails or times out
   */
  ask(path: string, sent?: Sent): Promise<Answer>
  /**
   * Requests a provider's URL, without any of the site's cookies and headers.
   * @throws CannotLook when the request fails or times out
   */
  askProvider(address: URL): Promise<Answer>
}

export interface SiteOptions {
  readonly insecure: boolean
  /** Default: 10 seconds. */
  readonly deadlineMs?: number
  /** Default: the system's. */
  readonly lookup?: LookupAll
}

const maxRequests = 60
const maxBytes = 1024 * 1024
const maxHeaderBytes = 64 * 1024
const defaultDeadlineMs = 10_000

/** @param url The base URL, without a slash at its end. */
export function createSite(url: URL, options: SiteOptions): Site {
  const base = url.pathname.replace(/\/$/, "")
  let count = 0
  let isPrivate = isPrivateHost(url.hostname)
  const noticeSite = (found: readonly LookupAddress[]) => {
    isPrivate ||= found.length > 0 && found.every(({ address }) => isPrivateAddress(toAddress(address)))
  }
  const send = (address: URL, sent: Sent, isSite: boolean) => {
    count++
    if (count > maxRequests) throw new CannotLook(`More than ${maxRequests} requests would be needed.`)
    return sendOne(address, sent, {
      ...options,
      isPrivateAllowed: isSite || isPrivate,
      ...(isSite && { notice: noticeSite }),
    })
  }
  return {
    url,
    get count() {
      return count
    },
    ask(path, sent = {}) {
      const address = new URL(url.origin)
      const [pathname = "", search = ""] = path.split("?", 2)
      address.pathname = path.startsWith("/") ? pathname : `${base}/${pathname}`
      address.search = search
      return send(address, sent, true)
    },
    askProvider: (address) => send(address, {}, false),
  }
}

type LookupAll = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  done: (error: Error | null, found: LookupAddress[]) => void,
) => void

interface Connection extends SiteOptions {
  /** Whether addresses of this machine and of private networks are reached. */
  readonly isPrivateAllowed: boolean
  /** Gets the addresses that are connected to. */
  readonly notice?: (found: readonly LookupAddress[]) => void
}

function sendOne(address: URL, sent: Sent, connection: Connection): Promise<Answer> {
  const body = sent.form ? new URLSearchParams(sent.form).toString() : sent.body
  const { deadlineMs = defaultDeadlineMs } = connection
  const options: RequestOptions = {
    method: body === undefined ? "GET" : "POST",
    agent: false,
    headers: { ...headersOf(sent, body), connection: "close" },
    maxHeaderSize: maxHeaderBytes,
    lookup: guardedLookup(connection),
    signal: AbortSignal.timeout(deadlineMs),
  }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(toCannotLook(error, address, deadlineMs))
    if (isForbiddenAddress(hostOf(address), connection)) return fail(new ForbiddenAddress(hostOf(address)))
    const read = (message: IncomingMessage) => readAnswer(message).then(resolve, fail)
    const request =
      address.protocol === "https:"
        ? sendHttps(address, { ...options, ...toTls(address, connection) }, read)
        : sendHttp(address, options, read)
    request.on("error", fail)
    request.end(body)
  })
}

/** Without a name, Node would take that of the header `Host`, and refuse the certificate for a forged one. */
function toTls(address: URL, { insecure }: Connection): { servername: string; rejectUnauthorized: boolean } {
  return { servername: isIP(hostOf(address)) === 0 ? address.hostname : "", rejectUnauthorized: !insecure }
}

function headersOf({ headers, cookies, form }: Sent, body: string | undefined): Record<string, string> {
  const cookie = [...(cookies ?? [])].map(([name, value]) => `${name}=${value}`).join("; ")
  return {
    "user-agent": "latchkey-doctor",
    accept: "application/json",
    ...(cookie !== "" && { cookie }),
    ...(form && { "content-type": "application/x-www-form-urlencoded" }),
    ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    ...headers,
  }
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const receivedAt = Date.now()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw new TooLarge()
    chunks.push(bytes)
  }
  const { "set-cookie": setCookies = [], ...others } = message.headers
  const headers = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]))
  const isPlain = (headers["content-encoding"] ?? "identity") === "identity"
  return {
    status: message.statusCode ?? 0,
    headers,
    setCookies,
    text: isPlain ? Buffer.concat(chunks).toString("utf8") : "",
    receivedAt,
  }
}

class TooLarge extends Error {}
class ForbiddenAddress extends Error {
  readonly sentence: string

  constructor(address: string) {
    super()
    this.sentence = isLinkLocal(address)
      ? "is at an address that no site has, such as that of a cloud's metadata."
      : "is in a private network, and the site is not."
  }
}

/** A sentence that names the origin alone. */
function toCannotLook(error: Error, { origin }: URL, deadlineMs: number): CannotLook {
  return new CannotLook(`${origin} ${describeError(error, deadlineMs)}`, { cause: error })
}

function describeError(error: Error, deadlineMs: number): string {
  if (error instanceof TooLarge) return "sent an answer of more than 1 MiB."
  if (error instanceof ForbiddenAddress) return error.sentence
  if (error.name === "AbortError" || error.name === "TimeoutError")
    return `did not answer within ${deadlineMs / 1000} seconds.`
  const code = "code" in error ? String(error.code) : ""
  if (code === "HPE_HEADER_OVERFLOW") return "sent headers of more than 64 KiB."
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "has no address in the DNS."
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code))
    return `has a certificate that is not valid (${code}). --insecure accepts it; NODE_EXTRA_CA_CERTS names your own authority.`
  return `cannot be reached${/^[A-Z_]+$/.test(code) ? ` (${code})` : ""}.`
}

/** The host as an address: without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "")
}

type Lookup = NonNullable<RequestOptions["lookup"]>

/** A name may resolve to an internal address. */
function guardedLookup(connection: Connection): Lookup {
  const { lookup = resolveName } = connection
  return (hostname, options: LookupOptions, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "", 0)
      const [first] = found
      const forbidden = found.find(({ address }) => isForbiddenAddress(address, connection))
      if (!first || forbidden) return callback(new ForbiddenAddress(forbidden?.address ?? ""), "", 0)
      connection.notice?.(found)
      return options.all ? callback(null, found) : callback(null, first.address, first.family)
    })
}

/** Link-local addresses, such as those of the metadata of clouds; for providers of a public site, private ones as well. */
function isForbiddenAddress(text: string, { isPrivateAllowed }: Connection): boolean {
  if (isIP(text) === 0) return false
  return isLinkLocal(text) || (!isPrivateAllowed && isPrivateAddress(toAddress(text)))
}

const isLinkLocal = (text: string) =>
  /^169\.254\.|^fe[89ab][0-9a-f]:|^::ffff:a9fe:|^0\.0\.0\.0$|^::$/.test(toAddress(text))

const toAddress = (text: string) => text.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, "")

function isPrivateAddress(address: string): boolean {
  return /^(?:127|10)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^::1$|^f[cd][0-9a-f]{2}:|^::ffff:/.test(
    address,
  )
}

/** Whether the site itself is on this machine or in a private network. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "")
  return host === "localhost" || host.endsWith(".localhost") || isPrivateAddress(host)
}
