/** One request that both services get. */
export interface Probe {
  readonly method: "GET" | "HEAD" | "POST"
  /** Below the base URL, with its query. */
  readonly path: string
  readonly isSignedIn: boolean
}

/** The parts of a response that are compared. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined unless the body is JSON. */
  readonly json: unknown
}

/** A service, and what it answers. */
export interface Answered {
  readonly base: URL
  readonly answer: Answer
}

/** What differs in the answers to a request. No values of cookies, tokens or sessions. */
export interface Difference {
  readonly request: string
  /** `status`, `location`, `header <name>`, `cookie <name>` or `body <path>`. */
  readonly part: string
  readonly old: string
  readonly new: string
  /** Why this is expected. Null for a difference to look at. */
  readonly known: string | null
}

/** Compares two answers. */
export function compareAnswers(probe: Probe, old: Answered, now: Answered): readonly Difference[] {
  const request = `${probe.method} ${probe.path}${probe.isSignedIn ? " (signed in)" : ""}`
  const before = describe(old)
  const after = describe(now)
  const parts = [...new Set([...before.keys(), ...after.keys()])].sort()
  return parts.flatMap((part) => {
    const [left, right] = [before.get(part) ?? "none", after.get(part) ?? "none"]
    if (left === right) return []
    const difference = { request, part, old: left, new: right }
    return [{ ...difference, known: findKnown(probe, difference) }]
  })
}

const comparedHeaders = [
  "cache-control",
  "content-type",
  "access-control-allow-origin",
  "www-authenticate",
  "retry-after",
]

/** Each part of an answer as text, without what differs by nature. */
function describe({ base, answer }: Answered): ReadonlyMap<string, string> {
  const { status, headers, json } = answer
  const parts = new Map([["status", String(status)]])
  const location = headers.get("location")
  if (location !== null) parts.set("location", describeAddress(location, base))
  for (const name of comparedHeaders) {
    const value = headers.get(name)
    if (value !== null) parts.set(`header ${name}`, normalizeHeader(value))
  }
  for (const line of headers.getSetCookie()) {
    const [name, text] = describeCookie(line)
    parts.set(`cookie ${name}`, text)
  }
  if (json !== undefined) for (const [path, text] of describeJson(json, "$")) parts.set(`body ${path}`, text)
  return parts
}

function normalizeHeader(value: string): string {
  return value
    .split(/[,;]/)
    .map((part) => part.trim().toLowerCase())
    .sort()
    .join(", ")
}

/** Parameters whose value says something. The others are random, or name a place of the service itself. */
const readParameters: ReadonlySet<string> = new Set([
  "error",
  "code",
  "provider",
  "type",
  "csrf",
  "response_type",
  "scope",
])

/** An address without the origin and base path of the service, and without random parameters. */
function describeAddress(text: string, base: URL): string {
  const url = URL.parse(text, base.href)
  if (!url) return "not a URL"
  const isOwn = url.origin === base.origin
  const path =
    isOwn && url.pathname.startsWith(base.pathname) ? `<base>${url.pathname.slice(base.pathname.length)}` : url.pathname
  const parameters = [...url.searchParams].map(([name, value]) =>
    readParameters.has(name) ? `${name}=${value}` : name,
  )
  const query = parameters.sort().join("&")
  return `${isOwn ? "" : url.origin}${path}${query && `?${query}`}`
}

/** The name without what a flow or a chunk adds, and the attributes. Never the value. */
function describeCookie(line: string): readonly [name: string, text: string] {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim())
  const name = pair.slice(0, pair.indexOf("=")).replace(/\.(?:\d{1,2}|[\w-]{16,})$/, "")
  const isCleared = pair.endsWith("=") || attributes.some((attribute) => /^max-age=(?:0|-\d+)$/i.test(attribute))
  const shown = attributes
    .map((attribute) => attribute.toLowerCase())
    .map((attribute) => (/^(?:expires|max-age)=/.test(attribute) ? "lasting" : attribute))
  return [name, [isCleared ? "cleared" : "set", ...new Set(isCleared ? [] : shown.sort())].join("; ")]
}

/** The path and type of each value in a JSON document. */
function describeJson(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (Array.isArray(value)) return [[path, "array"]]
  if (typeof value !== "object" || value === null) return [[path, value === null ? "null" : typeof value]]
  return Object.entries(value).flatMap(([name, member]) => describeJson(member, `${path}.${name}`))
}

type Found = Omit<Difference, "known">

interface KnownDifference {
  readonly reason: string
  isMet(difference: Found, probe: Probe): boolean
}

const isPage = ({ path }: Probe): boolean => /^\/(?:signin|signout|error|verify-request)?(?:\?|$)/.test(path)
const isRead = ({ method }: Probe): boolean => method !== "POST"
const startsAs = (part: string, ...starts: readonly string[]): boolean => starts.some((start) => part.startsWith(start))

/** Differences that the guide "Migrating from Auth.js" describes. */
const knownDifferences: readonly KnownDifference[] = [
  {
    reason: "Cookies of version 4 have other names.",
    isMet: ({ part, old, new: now }) =>
      (/^cookie (?:__\w+-)?next-auth\./.test(part) && now === "none") ||
      (/^cookie (?:__\w+-)?authjs\.(?:csrf-token|callback-url|session-token)$/.test(part) && old === "none"),
  },
  {
    reason: "GET /session and GET /providers set no CSRF or callback-url cookie.",
    isMet: ({ part, new: now }, { path }) =>
      /^\/(?:session|providers)$/.test(path) && /^cookie .*(?:csrf-token|callback-url)$/.test(part) && now === "none",
  },
  {
    reason: "Cookies are set only on the responses that need them.",
    isMet: ({ part, new: now }, probe) =>
      isRead(probe) && /^cookie .*(?:csrf-token|callback-url)$/.test(part) && now === "none",
  },
  {
    reason: "Latchkey has cookies of its own, such as authjs.browser.",
    isMet: ({ part, old }) =>
      /^cookie (?:__\w+-)?authjs\.(?!session-token|csrf-token|callback-url)/.test(part) && old === "none",
  },
  {
    reason: "HEAD for a page is answered as GET would be.",
    isMet: ({ part, old }, probe) =>
      probe.method === "HEAD" && isPage(probe) && (part === "status" ? old === "400" : !startsAs(part, "cookie")),
  },
  {
    reason: "Unknown paths are answered with a page and the status 404 in a browser.",
    isMet: ({ part }, { path }) => path === "/latchkey-compare" && startsAs(part, "status", "header", "body"),
  },
  {
    reason: "EmailSignin and OAuthSignin appear on the sign-in page.",
    isMet: ({ part }, { path }) =>
      /error=(?:EmailSignin|OAuthSignin)/.test(path) && startsAs(part, "status", "location"),
  },
  {
    reason: "Responses with personal content are private, no-store.",
    isMet: ({ part, new: now }) => part === "header cache-control" && now.includes("no-store"),
  },
  {
    reason: "Providers may have more fields that describe their button.",
    isMet: ({ part, old }, { path }) => path === "/providers" && startsAs(part, "body $.") && old === "none",
  },
]

function findKnown(probe: Probe, difference: Found): string | null {
  return knownDifferences.find(({ isMet }) => isMet(difference, probe))?.reason ?? null
}
