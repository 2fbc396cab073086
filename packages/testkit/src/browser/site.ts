/**
 * The site of a URL: its scheme and registrable domain (HTML, section "sites"). Without a public suffix list: the last
 * two labels of a name are taken for the registrable domain, an IP address or a single label stands for itself.
 */
function siteOf(url: URL): string {
  return `${url.protocol}//${registrableDomain(url.hostname)}`
}

export function isSameSite(one: URL, other: URL): boolean {
  return siteOf(one) === siteOf(other)
}

/** True where a cookie for this domain would reach unrelated hosts, such as `test` or `com`. */
export function isPublicSuffix(domain: string): boolean {
  return !domain.includes(".")
}

export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname)
}

function registrableDomain(hostname: string): string {
  return isIpAddress(hostname) ? hostname : hostname.split(".").slice(-2).join(".")
}
