import { randomBytes } from "node:crypto"
import { checkAddress } from "./address-checks.js"
import { checkProviders } from "./authorization-checks.js"
import { CannotLook, createFinding, type DoctorInput, type Examination, type Finding, nothing } from "./finding.js"
import { checkForms } from "./form-checks.js"
import { checkSession, describeDevelopment } from "./session-checks.js"
import { type Answer, createSite, type Site, type SiteOptions } from "./site.js"
import { type ListedProvider, parseObject, parseProviders } from "./site-answers.js"

/** Asks the public routes of a running site. Works with sites of Auth.js, too. */
export async function examinePublicRoutes(
  { url, insecure, progress }: DoctorInput,
  options: Partial<SiteOptions> = {},
): Promise<Examination> {
  if (!url) throw new CannotLook("No URL is given.")
  const site = createSite(url, { insecure, ...options })
  const listed = await readProviders(site)
  if ("finding" in listed) return { findings: [listed.finding], unchecked: [] }
  const { providers } = listed
  const steps = [
    ["addresses", () => checkAddress(site, providers)],
    ["forms and cookies", () => checkForms(site)],
    ["sessions", () => checkSession(site)],
    ["providers", () => checkProviders(site, providers)],
    ["mode", () => checkMode(site)],
  ] as const
  const examined: Examination[] = []
  for (const [name, check] of steps) {
    progress.step(`Checking: ${name}`)
    try {
      examined.push(await check())
    } catch (error) {
      if (!(error instanceof CannotLook)) throw error
      examined.push({ findings: [], unchecked: [{ code: "public-routes", reason: error.message }], isCutShort: true })
      // If the site stops answering, each request takes 10 seconds.
      break
    }
  }
  return {
    findings: examined.flatMap(({ findings }) => findings),
    unchecked: examined.flatMap(({ unchecked }) => unchecked),
    ...(examined.some(({ isCutShort }) => isCutShort) && { isCutShort: true }),
  }
}

type Listed = { readonly providers: readonly ListedProvider[] } | { readonly finding: Finding }

/** `GET /providers`, or why the site does not answer it. */
async function readProviders(site: Site): Promise<Listed> {
  const first = await site.ask("providers")
  const answer = isSlashOnly(first, site.url) ? await site.ask("providers/") : first
  const { status } = answer
  const providers = status === 200 ? parseProviders(answer.text) : null
  if (providers) return { providers }
  if (status >= 300 && status < 400) return { finding: describeRedirect(answer, site.url) }
  if (status === 401 || status === 403) return { finding: describeWall(site.url, { status }) }
  if (status === 500) return { finding: await describeServerError(answer, site) }
  if (status === 400) return { finding: await describeBadRequest(answer, site) }
  if (status === 200 && /type=["']?password|log ?in|sign ?in/i.test(answer.text))
    return { finding: describeWall(site.url, { status }) }
  if (status === 200 || status === 404 || status === 405) return { finding: await describeNothing(status, site) }
  const advice = outages[status] ?? ""
  throw new CannotLook(`${site.url.origin} answers ${status} to ${toPath(site.url)}/providers.${advice}`)
}

/** Statuses that proxies send while the app is down. */
const outages: Readonly<Record<number, string>> = {
  429: " It limits requests: try again in a minute.",
  502: " The proxy gets no answer of the app: see whether it runs, at the address and port that the proxy has. localhost can be 127.0.0.1 for one and ::1 for the other.",
  503: " It is down for maintenance, or limits requests: see the proxy.",
  504: " The app does not answer the proxy in time: see whether it runs, at the address and port that the proxy has.",
}

/** The base path without a slash at its end. Empty for the root. */
function toPath({ pathname }: URL): string {
  return pathname.replace(/\/$/, "")
}

/** Whether a redirect only adds a slash to the path. */
function isSlashOnly({ status, headers: { location = "" } }: Answer, url: URL): boolean {
  const target = URL.parse(location, `${url.origin}${toPath(url)}/providers`)
  return (
    status >= 300 && status < 400 && target?.origin === url.origin && target.pathname === `${toPath(url)}/providers/`
  )
}

/** @throws CannotLook if the site is at another origin */
function describeRedirect({ status, headers: { location = "" } }: Answer, url: URL): Finding {
  const target = URL.parse(location, `${url.origin}${toPath(url)}/providers`)
  if (target && target.origin !== url.origin && target.pathname.replace(/\/$/, "").endsWith("/providers"))
    throw new CannotLook(
      `The site redirects to ${target.origin}, which was not followed. If that is its address, name it: --url ${target.origin}${target.pathname.replace(/\/providers\/?$/, "")}`,
    )
  return describeWall(url, { status, ...(target && { to: `${target.origin}${target.pathname}` }) })
}

function describeWall(url: URL, evidence: Finding["evidence"]): Finding {
  const pathname = toPath(url)
  return createFinding("login-wall", {
    sentence: `A guard or a login page answers in place of the service: ${pathname}/providers is not public.`,
    fixes: [
      { where: "code", text: `Leave the path out of the guard: matcher: ["/((?!${pathname.slice(1)}/).*)"]` },
      { where: "proxy", text: `location ${pathname}/ { auth_request off; auth_basic off; }` },
      { where: "proxy", text: `Leave ${pathname}/ out of the challenges for bots of the CDN.` },
    ],
    evidence,
  })
}

/** Neither Latchkey nor Auth.js is at the path. */
async function describeNothing(status: number, site: Site): Promise<Finding> {
  const { origin } = site.url
  const pathname = toPath(site.url)
  for (const other of ["/auth", "/api/auth"]) {
    if (other === pathname) continue
    const { status: found, text } = await site.ask(`${other}/providers`)
    if (found === 200 && parseProviders(text))
      throw new CannotLook(`The service is at another path. Name it: --url ${origin}${other}`)
  }
  return createFinding("base-path", {
    sentence: `Nothing at ${pathname || "/"} answers as the service: ${pathname}/providers is answered with ${status}.`,
    fixes: [
      { where: "code", text: `Mount the service at ${pathname || "/"}, or name its path with --url.` },
      {
        where: "proxy",
        text: `Forward ${pathname}/ to the app, with its whole path: proxy_pass without a path or a slash behind the port.`,
      },
      { where: "environment", text: `AUTH_URL=${origin}, if it has another path` },
    ],
    evidence: { status },
  })
}

/** The service answers, but not at this path or not for this host. */
async function describeBadRequest(answer: Answer, site: Site): Promise<Finding> {
  const { origin } = site.url
  const pathname = toPath(site.url)
  const page = await site.ask("providers", { headers: { accept: "text/html" } })
  // Latchkey shows a page for an unknown path, and none for a host that is not listed.
  const isLatchkey = answer.headers["cache-control"]?.includes("no-store") === true
  if (isLatchkey && page.status === 400)
    return createFinding("host-untrusted", {
      sentence: `The app refuses requests for ${site.url.host}: the address is not in allowedOrigins, or a header names another.`,
      fixes: [
        { where: "config", text: `allowedOrigins: ["${origin}"]` },
        { where: "environment", text: `AUTH_URL=${origin}` },
      ],
      evidence: { status: answer.status },
    })
  return createFinding("base-path", {
    sentence: `The service answers at ${pathname}, but takes itself to be at another path: basePath, or the path of AUTH_URL, is another.`,
    fixes: [
      { where: "environment", text: `AUTH_URL=${origin}` },
      { where: "config", text: `basePath: "${pathname}"` },
    ],
    evidence: { status: answer.status },
  })
}

/** The configuration is refused, or the host. */
async function describeServerError({ text, status }: Answer, site: Site): Promise<Finding> {
  const { message } = parseObject(text) ?? {}
  const said = typeof message === "string" ? message : ""
  const [, reference] = /\(reference ([0-9A-Z]{4}-[0-9A-Z]{2})\)/.exec(said) ?? []
  const evidence = { status, ...(reference !== undefined && { reference }) }
  const trust = { where: "environment", text: `AUTH_URL=${site.url.origin}` } as const
  // The app answers requests for its own machine, if only the host is wrong.
  const local = await site.ask("providers", { headers: { host: "localhost" } }).catch(() => null)
  if (local?.status === 200 && parseProviders(local.text))
    return createFinding("host-untrusted", {
      sentence: `The app refuses requests for ${site.url.host}: no address is configured, so it trusts its own machine alone.`,
      fixes: [
        trust,
        { where: "environment", text: "AUTH_TRUST_HOST=true, if the proxy replaces Host and X-Forwarded-Host" },
      ],
      evidence,
    })
  const isConfiguration = /problem with the server configuration/i.test(said)
  const log =
    reference === undefined ? "The server log has the reason." : `npx --no latchkey explain ${reference} --file <log>`
  return createFinding("server-error", {
    sentence: isConfiguration
      ? "The app refuses every request because of its configuration: usually the secret is missing or can be guessed, or AUTH_URL is missing or does not begin with https://."
      : `The app answers ${status} to every request.`,
    fixes: [
      { where: "environment", text: "AUTH_SECRET=<the output of: npx --no latchkey secret>" },
      trust,
      { where: "code", text: log },
    ],
    evidence,
  })
}

/** Text that only development servers show. */
const developmentMarks: readonly (readonly [name: string, mark: RegExp])[] = [
  ["stack trace", /\n? {4}at .+\.(?:js|ts|mjs):\d+|&nbsp; ?at .+\.(?:js|ts|mjs):\d+/],
  ["Vite", /\/@vite\/client/],
  ["Next.js", /\/_next\/static\/development\/|webpack-hmr|"buildId":"development"/],
]

/** Malformed requests, whose answers have a stack trace in development, and an unknown page. */
async function checkMode(site: Site): Promise<Examination> {
  const path = `/latchkey-doctor-${randomBytes(4).toString("hex")}`
  const page = { headers: { accept: "text/html" } }
  const broken = { headers: { ...page.headers, "content-type": "application/json" }, body: "{" }
  const answers = [await site.ask(`${path}%E0%A4%A`, page), await site.ask(path, broken), await site.ask(path, page)]
  const seen = developmentMarks.find(([, mark]) => answers.some(({ text }) => mark.test(text)))
  if (!seen) return nothing
  return { findings: [describeDevelopment(site.url, { mark: seen[0] })], unchecked: [] }
}
