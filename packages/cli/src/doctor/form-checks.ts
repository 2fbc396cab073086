import { createFinding, type Examination, type Finding, type Fix, type Unchecked } from "./finding.js"
import { describeCache, isBusy } from "./session-checks.js"
import type { Answer, Site } from "./site.js"
import { type FormToken, parseObject, readFormToken, toJar } from "./site-answers.js"

const formCount = 12
const atOnce = 4
const tokenCount = 3

/** Which cookies arrive, and whether forms are accepted by every instance. */
export async function checkForms(site: Site): Promise<Examination> {
  const token = await readFormToken(site)
  if (!token) return unchecked("forms-refused", "the site gives no token for forms.")
  const callbackUrl = encodeURIComponent(`${site.url.origin}/${marks.path}`)
  const page = await site.ask(`signin?callbackUrl=${callbackUrl}&error=${marks.error}`, {
    headers: { accept: "text/html" },
  })
  const tokens = await checkTokens(site, token)
  const findings = [
    ...describeQuery(page),
    ...(await findSharedToken(site, token)),
    ...tokens,
    ...describeCookies(site.url, [...token.answer.setCookies, ...page.setCookies]),
  ]
  const isTold = tokens.some(({ code }) => code === "secrets-differ")
  if (token.cookies.size === 0 || isTold) return { findings, unchecked: [] }
  const forms = await sendForms(site, token)
  return { findings: [...findings, ...forms.findings], unchecked: forms.unchecked }
}

/** What the sign-in page is asked to remember. */
const marks = { path: "latchkey-doctor", error: "SessionRequired" } as const

/** Whether the query of a request arrived: in the address of the app's own page, in a cookie, or on the built-in page. */
function describeQuery({ status, headers: { location = "" }, setCookies, text }: Answer): readonly Finding[] {
  const seen = [location, ...setCookies, text].join("\n")
  const isShown =
    Object.values(marks).some((mark) => seen.includes(mark)) || /role="(?:alert|status)"|class="error"/.test(text)
  if (status >= 400 || isShown) return []
  return [
    createFinding("query-dropped", {
      sentence:
        "What stands behind the ? of an address does not arrive, so that no sign-in comes back from a provider or a mail.",
      fixes: [
        { where: "proxy", text: "proxy_pass http://<the app>; without $uri, which has no query" },
        { where: "proxy", text: "Let the CDN and its cache pass the query on." },
      ],
      evidence: { status },
    }),
  ]
}

function unchecked(code: Unchecked["code"], reason: string): Examination {
  return { findings: [], unchecked: [{ code, reason }] }
}

/** Every visitor has a token of their own. */
async function findSharedToken(site: Site, { csrfToken }: FormToken): Promise<readonly Finding[]> {
  const other = await readFormToken(site)
  return other?.csrfToken === csrfToken ? [describeCache("csrf", { sameToken: true })] : []
}

/**
 * A browser that sends its cookie gets its token again, from every instance with the same secret. Frameworks that verify the
 * origin of forms accept all of them, and show neither.
 */
async function checkTokens(site: Site, { csrfToken, cookies }: FormToken): Promise<readonly Finding[]> {
  if (cookies.size === 0) return []
  let refused = 0
  for (let n = 0; n < tokenCount; n++) {
    const { status, text } = await site.ask("csrf", { cookies })
    const again = parseObject(text)?.["csrfToken"]
    if (status !== 200 || typeof again !== "string") return []
    if (again !== csrfToken) refused++
  }
  if (refused === 0) return []
  if (refused < tokenCount) return [describeSecrets({ accepted: tokenCount - refused, refused })]
  return [
    createFinding("cookies-dropped", {
      sentence: "The cookies that browsers send do not arrive at the app, so that nobody stays signed in.",
      fixes: [{ where: "proxy", text: "Remove proxy_set_header Cookie, and let the CDN pass the header Cookie on." }],
    }),
  ]
}

function describeCookies(url: URL, setCookies: readonly string[]): readonly Finding[] {
  if (setCookies.length === 0)
    return [
      createFinding("cookies-dropped", {
        sentence: "No Set-Cookie header arrives, so that no form and no sign-in can work.",
        fixes: [{ where: "proxy", text: "Remove proxy_hide_header Set-Cookie and proxy_ignore_headers Set-Cookie." }],
      }),
    ]
  const merged = describeMerged(setCookies)
  if (merged.length > 0) return merged
  const refused = setCookies.map(findRefusal).find((each) => each !== null)
  if (refused) return [describeChanged(`Browsers refuse a cookie of the service: ${refused}.`, { refused })]
  const open = setCookies.filter((each) => !/;\s*secure\s*(?:;|$)/i.test(each))
  if (url.protocol !== "https:" || open.length === 0) return []
  return [
    createFinding("insecure-cookies", {
      severity: "warning",
      sentence: "Cookies lack the attribute Secure, so that browsers send them over http as well.",
      fixes: [
        { where: "environment", text: `AUTH_URL=${url.origin}` },
        { where: "proxy", text: "proxy_set_header X-Forwarded-Proto $scheme;" },
      ],
      evidence: { cookies: [...toJar(open).keys()].join(" ").slice(0, 200) },
    }),
  ]
}

/** Why browsers refuse a cookie. Its prefix says how the app had sent it. */
function findRefusal(header: string): string | null {
  const [name = ""] = header.split("=", 1)
  const [, prefix] = /^__(Host|Secure)-/i.exec(name.trim()) ?? []
  if (prefix === undefined) return null
  const has = (attribute: string) => new RegExp(`;\\s*${attribute}\\s*(?:;|$)`, "i").test(header)
  if (!has("secure")) return `${name} lacks Secure`
  if (prefix === "Secure") return null
  if (!has("path=/")) return `${name} has another Path than /`
  return /;\s*domain=/i.test(header) ? `${name} has a Domain` : null
}

/** The app sends cookies that work, and others arrive. */
export function describeChanged(sentence: string, evidence: Finding["evidence"]): Finding {
  return createFinding("cookies-changed", {
    sentence: `${sentence} Something behind the app changes its cookies.`,
    fixes: [{ where: "proxy", text: "Remove proxy_cookie_flags, proxy_cookie_path and proxy_cookie_domain." }],
    evidence,
  })
}

/** Several cookies in one header, which HTTP/1.1 libraries make of several headers. */
export function describeMerged(setCookies: readonly string[]): readonly Finding[] {
  const merged = setCookies.filter(isMerged)
  if (merged.length === 0) return []
  return [
    createFinding("cookies-merged", {
      sentence: "Several cookies arrive in one Set-Cookie header. Browsers keep only the first one.",
      fixes: [
        {
          where: "proxy",
          text: "Pass each Set-Cookie header on as a header of its own, as headers.getSetCookie() lists them.",
        },
      ],
      evidence: { headers: merged.length },
    }),
  ]
}

/** A comma, and the name of another cookie. The comma of a date has no name behind it. */
function isMerged(header: string): boolean {
  return /,\s*[\w!#$%&'*+.^`|~-]+=/.test(header.slice(header.indexOf("=")))
}

type Outcome = "accepted" | "refused" | "limited" | "unclear"

interface Sending {
  readonly outcome: Outcome
  readonly status: number
  /** Whether something in front of the app refuses the request. */
  readonly isBlocked: boolean
  /** Where the answer leads. */
  readonly target: string | undefined
}

/** Forms for signing out, without a session: each over a connection of its own, so that every instance gets some. */
async function sendForms(site: Site, token: FormToken): Promise<Examination> {
  const sent: Sending[] = []
  while (sent.length < formCount)
    sent.push(...(await Promise.all(Array.from({ length: atOnce }, () => sendForm(site, token)))))
  const [{ status = 0 } = {}] = sent
  if (sent.every((each) => each.isBlocked && each.status === status))
    return { findings: [describeBlocked(site.url, status)], unchecked: [] }
  const outcomes = sent.map(({ outcome }) => outcome)
  const count = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length
  const [accepted, refused, limited] = [count("accepted"), count("refused"), count("limited")]
  const bodies = limited > 0 ? [] : await checkBodies(site, token, sent)
  if (refused === 0 && (accepted > 0 || bodies.length > 0)) return { findings: bodies, unchecked: [] }
  if (refused === 0)
    return unchecked(
      "secrets-differ",
      limited > 0 ? "the site limits requests. Try again in a minute." : "forms are not answered.",
    )
  const evidence = { accepted, refused }
  const finding =
    accepted > 0
      ? describeSecrets(evidence)
      : describeRefusal(site.url, evidence, (await sendForm(site, token, { hasOrigin: false })).outcome)
  return { findings: [...bodies, finding], unchecked: [] }
}

interface FormOptions {
  /** Default: true. */
  readonly hasOrigin?: boolean
  /** Fields before the others. A large one shows whether the end of a form arrives. */
  readonly before?: Readonly<Record<string, string>>
  /** A body in place of the fields. */
  readonly body?: string
}

async function sendForm(site: Site, { csrfToken, cookies }: FormToken, options: FormOptions = {}): Promise<Sending> {
  const { hasOrigin = true, before = {}, body } = options
  const { origin } = site.url
  const form = { ...before, csrfToken, callbackUrl: `${origin}${spelled.address}`, json: "true" }
  const answer = await site.ask("signout", {
    ...(body === undefined ? { form } : { body }),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-auth-return-redirect": "1",
      ...(hasOrigin && { origin }),
    },
    cookies,
  })
  const { status } = answer
  return { outcome: toOutcome(answer), status, isBlocked: isBlocked(answer), target: readTarget(answer) }
}

/** An address whose characters change if a proxy decodes a form once more, or takes it for another character set. */
const spelled = { address: "/latchkey-doctor?a=é+%2B%25", value: "é +%" } as const

const largeKibibytes = 8

/** Apps wait for the end of a body that a proxy has cut. */
const unanswered: Sending = { outcome: "unclear", status: 0, isBlocked: false, target: undefined }

/** Whether the bodies of forms arrive, whole and as they were sent. Forms that the framework verifies are accepted without one. */
async function checkBodies(site: Site, token: FormToken, sent: readonly Sending[]): Promise<readonly Finding[]> {
  const large = { padding: "x".repeat(largeKibibytes * 1024) }
  const shown = sent.flatMap(({ target = "" }) => URL.parse(target)?.searchParams.get("a") ?? [])
  if (shown.some((value) => value !== spelled.value)) return [describeEncoding()]
  if (shown.length > 0) {
    // Instances with other secrets refuse it for another reason.
    if (shown.length < sent.length) return []
    const { target, status } = await sendForm(site, token, { before: large }).catch(() => unanswered)
    return isBusy(status) || sent.some((each) => each.target === target) ? [] : [describeCutBody({ status })]
  }
  // The app leads elsewhere, or has seen no field: a field that is repeated is refused, if it arrives.
  const repeated = "csrfToken=a&csrfToken=b"
  const small = await sendForm(site, token, { body: repeated })
  if (small.status >= 400 && small.status !== 400) return []
  if (small.status === 400) {
    const body = `${new URLSearchParams(large)}&${repeated}`
    const { status } = await sendForm(site, token, { body }).catch(() => unanswered)
    return status === 400 || isBusy(status) ? [] : [describeCutBody({ status })]
  }
  const isSame = sent.every(({ outcome }) => outcome === small.outcome)
  return isSame && (await isLatchkey(site)) ? [describeDropped({ status: small.status })] : []
}

/** Whether the service is Latchkey: only its error page varies by this header. Auth.js also accepts repeated fields. */
async function isLatchkey(site: Site): Promise<boolean> {
  const { headers } = await site.ask("error", { headers: { "x-auth-return-redirect": "1" } })
  return /x-auth-return-redirect/i.test(headers["vary"] ?? "")
}

const pass = "Forward the method, Content-Type, Content-Length and body unchanged"
const unread: Fix = { where: "code", text: "No middleware or function may read the body before the service does." }

function describeDropped(evidence: Finding["evidence"]): Finding {
  return createFinding("body-dropped", {
    sentence: "Form bodies do not reach the app, so nobody can sign in with a form.",
    fixes: [{ where: "proxy", text: `Remove proxy_pass_request_body off. ${pass}.` }, unread],
    evidence,
  })
}

function describeCutBody(evidence: Finding["evidence"]): Finding {
  const text = `client_max_body_size 1m; in nginx. ${pass}, also in firewalls and functions in between.`
  return createFinding("body-changed", {
    sentence: `A form of ${largeKibibytes} KiB reaches the app without its end.`,
    fixes: [{ where: "proxy", text }, unread],
    evidence,
  })
}

function describeEncoding(): Finding {
  return createFinding("body-changed", {
    sentence:
      "Form fields reach the app with different characters than were sent, so passwords and links can be wrong.",
    fixes: [{ where: "proxy", text: `${pass}: nothing in between may decode forms and encode them again.` }, unread],
  })
}

function readTarget({ text, headers: { location } }: Answer): string | undefined {
  const target = location ?? parseObject(text)?.["url"]
  return typeof target === "string" ? target : undefined
}

/**
 * Whether something in front of the app refused the form. Latchkey never responds to a form with 405 or 413, and neither its own 403
 * nor a framework's is a page with the status as its title.
 */
function isBlocked({ status, text }: Answer): boolean {
  return status === 405 || status === 413 || (status === 403 && /<(?:title|h1)>\s*403\b/i.test(text))
}

function toOutcome(answer: Answer): Outcome {
  const { status } = answer
  if (status === 429) return "limited"
  if (status === 403) return "refused"
  const target = readTarget(answer)
  if (target === undefined || status >= 400) return "unclear"
  return /[?&](?:error=MissingCSRF|csrf=true)/.test(target) ? "refused" : "accepted"
}

function describeSecrets(evidence: Finding["evidence"]): Finding {
  return createFinding("secrets-differ", {
    sentence: "Some instances accept what others have issued, and some refuse it: they have different secrets.",
    fixes: [
      { where: "environment", text: "AUTH_SECRET=<the same value for every instance>" },
      { where: "environment", text: "Start all instances again, if the secret was changed while some were running." },
    ],
    evidence,
  })
}

function describeBlocked(url: URL, status: number): Finding {
  const path = `${url.pathname.replace(/\/$/, "")}/`
  const text =
    status === 413
      ? "client_max_body_size 1m; in nginx, and no smaller limit in firewalls"
      : `Allow POST below ${path}: no limit_except, and no rule of a firewall or CDN that refuses it`
  return createFinding("forms-refused", {
    sentence: `No form reaches the app: something in front of it answers them with ${status}.`,
    fixes: [{ where: "proxy", text }],
    evidence: { status },
  })
}

function describeRefusal(url: URL, evidence: Finding["evidence"], withoutOrigin: Outcome): Finding {
  const isOrigin = withoutOrigin === "accepted"
  return createFinding("forms-refused", {
    sentence: isOrigin
      ? `Every form is refused: the app takes itself to be at another origin than ${url.origin}.`
      : "Every form is refused, although its token and its cookie were just issued.",
    fixes: isOrigin
      ? [{ where: "environment", text: `AUTH_URL=${url.origin}` }]
      : [
          { where: "proxy", text: "Pass the headers Cookie and Origin and the body of forms on unchanged." },
          { where: "environment", text: "AUTH_SECRET=<the same value for every instance>" },
        ],
    evidence,
  })
}
