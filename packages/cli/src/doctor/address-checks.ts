import { createFinding, type Examination, type Finding, nothing } from "./finding.js"
import type { Site } from "./site.js"
import { type ListedProvider, parseProviders } from "./site-answers.js"

/** Checks which origin the app believes it has, and whether clients can change it. */
export async function checkAddress(site: Site, [provider]: readonly ListedProvider[]): Promise<Examination> {
  if (!provider) {
    const reason = "the site has no providers, whose URLs show where it takes itself to be."
    return { findings: [], unchecked: [{ code: "address", reason }] }
  }
  const app = new URL(provider.callbackUrl)
  const forged = await readForged(site, app)
  const findings = [
    compareOrigin(site.url, app, forged.protocol !== null),
    comparePath(site.url, app, provider.id),
    describeForgedHost(forged.host, site.url),
    describeForgedScheme(forged.protocol, site.url),
  ].filter((each) => each !== null)
  return findings.length === 0 ? nothing : { findings, unchecked: [] }
}

const forgedHost = "forged.latchkey-doctor.invalid"

interface Forged {
  /** The header whose host the app believes. */
  readonly host: "X-Forwarded-Host" | "Host" | null
  /** The scheme that the app believes from a client. */
  readonly protocol: string | null
}

async function readForged(site: Site, app: URL): Promise<Forged> {
  const other = app.protocol === "https:" ? "http" : "https"
  const [forwarded, host, protocol] = [
    await readCallbackUrl(site, { "x-forwarded-host": forgedHost }),
    await readCallbackUrl(site, { host: forgedHost }),
    await readCallbackUrl(site, { "x-forwarded-proto": other }),
  ]
  return {
    host: forwarded?.hostname === forgedHost ? "X-Forwarded-Host" : host?.hostname === forgedHost ? "Host" : null,
    protocol: protocol?.protocol === `${other}:` ? other : null,
  }
}

/** Null if the request was refused, which is the right answer to a forged one. */
async function readCallbackUrl(site: Site, headers: Readonly<Record<string, string>>): Promise<URL | null> {
  const answer = await site.ask("providers", { headers }).catch(() => null)
  const [provider] = (answer && answer.status === 200 && parseProviders(answer.text)) || []
  return provider ? new URL(provider.callbackUrl) : null
}

/** @param isHeaderBelieved Whether `X-Forwarded-Proto` decides, so that no address is configured. */
function compareOrigin(url: URL, app: URL, isHeaderBelieved: boolean): Finding | null {
  if (app.origin === url.origin) return null
  const sentence = `The app takes itself to be at ${app.origin}; visitors use ${url.origin}.`
  const configured = { where: "environment", text: `AUTH_URL=${url.origin}` } as const
  const evidence = { app: app.origin, site: url.origin }
  if (app.host === url.host || (app.hostname === url.hostname && isDefaultPort(app) && isDefaultPort(url))) {
    const header = { where: "proxy", text: `proxy_set_header X-Forwarded-Proto $scheme;` } as const
    const trust = { where: "code", text: `app.set("trust proxy", 1) in Express, if AUTH_URL is right already` } as const
    const fixes = isHeaderBelieved ? [header, configured] : [configured, header, trust]
    return createFinding("scheme", { sentence, fixes, evidence })
  }
  // $host has no port.
  const name = app.hostname === url.hostname ? "$http_host" : "$host"
  const text = `proxy_set_header Host ${name}; proxy_set_header X-Forwarded-Host ${name};`
  const hosts = { where: "proxy", text } as const
  const port = app.hostname === url.hostname ? " The port is another: $host has none." : ""
  return createFinding("address", { sentence: `${sentence}${port}`, fixes: [configured, hosts], evidence })
}

const isDefaultPort = ({ port }: URL): boolean => port === ""

function comparePath(url: URL, app: URL, id: string): Finding | null {
  const expected = `${url.pathname.replace(/\/$/, "")}/callback/${id}`
  if (decodeURI(app.pathname) === decodeURI(expected)) return null
  return createFinding("base-path", {
    sentence: `Callback URLs lead to ${app.pathname}, but the service is at ${url.pathname}: the path of AUTH_URL or basePath is another, or doubled.`,
    fixes: [
      { where: "environment", text: `AUTH_URL=${url.origin}` },
      { where: "config", text: `basePath: "${url.pathname}"` },
    ],
    evidence: { callback: app.pathname, expected },
  })
}

function describeForgedHost(header: Forged["host"], url: URL): Finding | null {
  if (header === null) return null
  const replaced = { where: "proxy", text: `proxy_set_header X-Forwarded-Host $host;` } as const
  const others = { where: "proxy", text: "server { listen 80 default_server; return 444; }" } as const
  return createFinding("forged-host", {
    sentence: `The app believes the header ${header} of every client, so that anyone can have mails sent with links to another site.`,
    fixes: [{ where: "environment", text: `AUTH_URL=${url.origin}` }, header === "Host" ? others : replaced],
    evidence: { header },
  })
}

function describeForgedScheme(protocol: string | null, url: URL): Finding | null {
  if (protocol === null) return null
  return createFinding("forged-scheme", {
    severity: "warning",
    sentence: "The app believes the header X-Forwarded-Proto of every client: the proxy does not replace it.",
    fixes: [
      { where: "proxy", text: "proxy_set_header X-Forwarded-Proto $scheme;" },
      { where: "environment", text: `AUTH_URL=${url.origin}` },
    ],
    evidence: { believed: protocol },
  })
}
