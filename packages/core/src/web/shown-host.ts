/** A request's headers, by their names in lower case. */
export interface HostHeaders {
  get(name: "host" | "x-forwarded-host" | "x-forwarded-proto"): string | null | undefined
}

const maxShown = 80

/** A host as it was sent, fit for the log: what is no part of host names is shown as `?`, a user name not at all. */
export function toShownHost(text: string): string {
  const host = text.slice(text.lastIndexOf("@") + 1)
  const shown = host.slice(0, maxShown).replace(/[^\w.:[\]-]/g, "?")
  return host.length > maxShown ? `${shown}...` : shown
}

const hostHeaders = [
  ["x-forwarded-host", "X-Forwarded-Host"],
  ["host", "Host"],
] as const

/**
 * A host and the header that named it, for the log.
 * @param host The one that counted; without it the first that a header names.
 */
export function describeHost(headers: HostHeaders, host?: string): string {
  for (const [name, shown] of hostHeaders) {
    const named = headers.get(name)?.split(",", 1)[0]?.trim()
    if (!named || (host !== undefined && named.toLowerCase() !== host)) continue
    return `"${toShownHost(named)}" (the header ${shown})`
  }
  return host === undefined ? "none" : `"${toShownHost(host)}"`
}
