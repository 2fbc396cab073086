/**
 * Whether a page's Content-Security-Policy lets its forms lead to an address, CSP Level 3 section 6.4.2. Asked for each
 * redirect on the way too, as some browsers do: a page whose forms sign people in elsewhere fails there if it allows
 * `'self'` alone.
 */
export function allowsFormAction(policies: string | null, page: URL, target: URL): boolean {
  return (policies ?? "").split(",").every((policy) => {
    const sources = findSources(policy)
    return sources === null || sources.some((source) => matches(source, page, target))
  })
}

function findSources(policy: string): readonly string[] | null {
  for (const directive of policy.split(";")) {
    const [name, ...sources] = directive.trim().split(/\s+/)
    if (name?.toLowerCase() === "form-action") return sources
  }
  return null
}

function matches(source: string, page: URL, target: URL): boolean {
  if (source === "*") return ["http:", "https:"].includes(target.protocol)
  if (source === "'self'") return target.origin === page.origin
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return target.protocol === source.toLowerCase()
  return matchesHost(source, page, target)
}

function matchesHost(source: string, page: URL, target: URL): boolean {
  const [, scheme = page.protocol, host = "", port = ""] =
    /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:]+)(?::(\d+|\*))?/i.exec(source) ?? []
  const isHost = host.startsWith("*.") ? target.hostname.endsWith(host.slice(1)) : target.hostname === host
  return target.protocol === scheme && isHost && (port === "*" || port === target.port)
}
