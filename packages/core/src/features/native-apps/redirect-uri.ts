/** A loopback address with or without a port: RFC 8252 section 7.3. `localhost` may name another machine (section 8.3). */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::([1-9]\d{0,4}))?(\/[\x21\x24-\x5b\x5d-\x7e]*)$/

/** A scheme that is a reversed domain name, so that it contains a dot: RFC 8252 section 7.1. */
const privateScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/[\x21\x24-\x5b\x5d-\x7e]*$/

const visibleText = /^[\x21\x24-\x5b\x5d-\x7e]+$/

/** Longer ones have no use, and would end up in cookies and pages. */
const maxLength = 512

/** Whether a native app may be sent to this address: on the loopback interface, https, or in a scheme of its own. */
export function isRedirectUri(text: unknown): text is string {
  if (typeof text !== "string" || text.length > maxLength) return false
  return isLoopbackUri(text) || privateScheme.test(text) || isWebAddress(text)
}

/** As the app's platform claims it: an https address without user, fragment, or anything that a parser would change. */
function isWebAddress(text: string): boolean {
  const url = visibleText.test(text) ? URL.parse(text) : null
  return url?.protocol === "https:" && url.username === "" && url.password === "" && url.href === text
}

function isLoopbackUri(text: string): boolean {
  const [, host, port = "80"] = loopback.exec(text) ?? []
  return host !== undefined && Number(port) <= 65535
}

/**
 * Whether a requested address is one of a client's. Compared as text (RFC 9700 section 4.1.3), but for the port of a
 * loopback address, which the system assigns to the app (RFC 8252 section 7.3).
 */
export function matchesRedirectUri(requested: string, registered: readonly string[]): boolean {
  if (!isRedirectUri(requested)) return false
  const [, host, , path] = loopback.exec(requested) ?? []
  return registered.some((uri) => {
    if (host === undefined) return uri === requested
    const [, ownHost, , ownPath] = loopback.exec(uri) ?? []
    return ownHost === host && ownPath === path
  })
}

/** The source of the address for the directive `form-action`, which browsers apply to redirects after a form, too. */
export function toFormTarget(uri: string): string {
  // An address of IPv6 is no valid source (CSP Level 3 section 2.3.1).
  if (uri.startsWith("http://[")) return "http:"
  return /^https?:/.test(uri) ? new URL(uri).origin : `${uri.slice(0, uri.indexOf(":"))}:`
}

/** The address with the parameters of the answer. */
export function withAnswer(uri: string, answer: Readonly<Record<string, string>>): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${new URLSearchParams(answer)}`
}
