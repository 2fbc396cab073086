import { randomBytes } from "node:crypto"
import { createFinding, type Examination, type Finding } from "./finding.js"
import { type Answer, isPrivateHost, type Site } from "./site.js"

/** `GET /session`: sizes of cookies, caches, and the clock of the answers. */
export async function checkSession(site: Site): Promise<Examination> {
  const plain = await site.ask("session")
  if (plain.status !== 200) return describeOther(plain, site.url)
  const caches = await checkCaches(site, plain)
  const cut = await findCut(site)
  const isLimited = cut !== null && isBusy(cut.status) && (await site.ask("session")).status !== 200
  return {
    findings: [...caches, ...(cut && !isLimited ? [describeCut(cut)] : []), ...checkDate(plain)],
    // A proxy that limits requests refuses one without cookies as well.
    unchecked: isLimited ? [{ code: "request-headers", reason: describeLimit(cut.status) }] : [],
  }
}

/** What a proxy answers in place of the app says nothing about caches and sizes. */
function describeOther({ status, headers: { location = "" } }: Answer, url: URL): Examination {
  const to = URL.parse(location, `${url.href}/session`)
  if (to?.pathname !== `${url.pathname.replace(/\/$/, "")}/session/`)
    return { findings: [], unchecked: [{ code: "session-cached", reason: describeLimit(status) }] }
  return {
    findings: [
      createFinding("base-path", {
        sentence: `A redirect (${status}) adds a slash to the paths of the service, so that every form loses what was typed.`,
        fixes: [
          { where: "proxy", text: `Remove the rewrite that adds slashes, at least for ${url.pathname}/.` },
          { where: "code", text: "trailingSlash: false" },
        ],
        evidence: { status, to: to.pathname },
      }),
    ],
    unchecked: [],
  }
}

function describeLimit(status: number): string {
  const answered = `/session is answered with ${status}`
  return isBusy(status) ? `${answered}: too many requests. Let the proxy allow 60, or try again later.` : `${answered}.`
}

/** The site limits requests. */
export const isBusy = (status: number): boolean => status === 429 || status === 503

/** A cache answered instead of the app. */
export function describeCache(route: string, evidence: Finding["evidence"]): Finding {
  return createFinding("session-cached", {
    sentence: `A cache answers /${route}: visitors can get what belongs to another, such as their session.`,
    fixes: [
      { where: "proxy", text: "proxy_cache off; and no proxy_ignore_headers Cache-Control" },
      { where: "proxy", text: "Leave the path of the service out of the rules of the CDN." },
    ],
    evidence: { route, ...evidence },
  })
}

/** A session that does not exist. */
const unknownToken = "latchkey-doctor"
const unknownSession: ReadonlyMap<string, string> = new Map(
  ["", "__Secure-", "__Host-"].map((prefix) => [`${prefix}authjs.session-token`, unknownToken]),
)

async function checkCaches(site: Site, plain: Answer): Promise<readonly Finding[]> {
  const unknown = await site.ask("session", { cookies: unknownSession })
  const hit = [plain, unknown].map(findHit).find((each) => each !== null)
  if (hit !== undefined) return [describeCache("session", hit)]
  if (!isNoticed(unknown)) {
    // A new URL, so no cache has an answer for it.
    const fresh = await site.ask(`session?latchkey-doctor=${randomBytes(6).toString("hex")}`, {
      cookies: unknownSession,
    })
    if (isNoticed(fresh)) return [describeCache("session", { unknownSession: "not noticed" })]
  }
  const control = plain.headers["cache-control"] ?? ""
  if (/no-store|private/i.test(control)) return []
  return [
    createFinding("cache-control", {
      sentence:
        "The answers of /session arrive without Cache-Control: no-store, so that caches may keep the session of a user.",
      fixes: [
        { where: "proxy", text: "Remove proxy_hide_header Cache-Control, add_header Cache-Control and expires." },
      ],
      evidence: { cacheControl: control },
    }),
  ]
}

/** Whether the app saw the cookie of a session that does not exist: it clears it. */
function isNoticed({ setCookies, headers }: Answer): boolean {
  return headers["latchkey-session"] !== undefined || setCookies.some((each) => each.includes("session-token="))
}

const hitHeaders = [
  "x-cache",
  "x-cache-status",
  "cf-cache-status",
  "x-vercel-cache",
  "x-proxy-cache",
  "x-varnish-cache",
]

function findHit({ headers }: Answer): Finding["evidence"] | null {
  const name = hitHeaders.find((each) => /hit|stale|revalidated/i.test(headers[each] ?? ""))
  if (name !== undefined) return { [name]: headers[name] ?? "" }
  return Number(headers["age"] ?? 0) > 0 ? { age: headers["age"] ?? "" } : null
}

/** The KiB of cookies that are sent. A session may have 10, and an app and a provider add their own. */
const sizes = [4, 7, 11, 15] as const

/** Some servers close the connection instead of answering. */
const closed = { status: 0, headers: {}, text: "" }

interface Cut extends Pick<Answer, "status" | "headers" | "text"> {
  readonly kibibytes: number
}

/** The smallest size that is refused, and how. */
async function findCut(site: Site): Promise<Cut | null> {
  for (const kibibytes of sizes) {
    const answer = await site.ask("session", { cookies: createCookies(kibibytes) }).catch(() => closed)
    if (answer.status !== 200) return { ...answer, kibibytes }
  }
  return null
}

/** Meaningless cookies of at most 3,500 characters each. */
function createCookies(kibibytes: number): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  let left = kibibytes * 1024
  for (let n = 0; left > 50; n++) {
    const name = `latchkey-doctor-${n}`
    const length = Math.max(1, Math.min(3500, left - name.length - 3))
    cookies.set(name, "x".repeat(length))
    left -= name.length + length + 3
  }
  return cookies
}

function describeCut({ kibibytes: size, status, headers: { server = "" }, text }: Cut): Finding {
  const isNginx = /nginx|openresty/i.test(server) && /nginx|openresty/i.test(text)
  const nginx = {
    where: "proxy",
    text: "large_client_header_buffers 4 32k; in the http block, outside of the servers",
  } as const
  const node = { where: "environment", text: "NODE_OPTIONS=--max-http-header-size=32768" } as const
  const session = { where: "config", text: 'session: { strategy: "database" } keeps cookies small' } as const
  return createFinding("request-headers", {
    severity: size < 15 ? "error" : "warning",
    sentence: `A request with ${size} KiB of cookies is refused${status === 0 ? "" : ` with ${status}`}: users with a large session are locked out.`,
    fixes: [...(isNginx ? [nginx, node] : [node, nginx]), session],
    evidence: { kibibytes: size, status, ...(server !== "" && { server: server.slice(0, 60) }) },
  })
}

const maxSkewSeconds = 30

function checkDate({ headers: { date = "" }, receivedAt }: Answer): readonly Finding[] {
  const shown = Date.parse(date)
  return Number.isNaN(shown) ? [] : describeClock(shown, receivedAt, "the header Date")
}

/** @param shown What the site takes for the time, in milliseconds since 1970. */
export function describeClock(shown: number, now: number, source: string): readonly Finding[] {
  const seconds = Math.round((shown - now) / 1000)
  if (Math.abs(seconds) <= maxSkewSeconds) return []
  return [
    createFinding("clock", {
      sentence: `The clock of the site is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} this machine's, so that providers' tokens are refused as too old or not valid yet.`,
      fixes: [
        {
          where: "environment",
          text: "timedatectl set-ntp true on the server, or on this machine if its clock is the wrong one",
        },
      ],
      evidence: { seconds, source },
    }),
  ]
}

/** The site runs in development mode. On a developer's own machine it may. */
export function describeDevelopment(url: URL, evidence: Finding["evidence"]): Finding {
  return createFinding("development-mode", {
    severity: isPrivateHost(url.hostname) ? "warning" : "error",
    sentence: "The site runs in development mode: it shows details of errors to visitors, and has no rate limits.",
    fixes: [{ where: "environment", text: "NODE_ENV=production" }],
    evidence,
  })
}
