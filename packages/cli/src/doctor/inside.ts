import { createProbe, type ProbeAnswer, probeHeader, readProbeAnswer } from "@latchkey/core/doctor"
import {
  createFinding,
  type DoctorInput,
  type Examination,
  type Finding,
  type FindingCode,
  type FindingDetails,
  type Fix,
  nothing,
} from "./finding.js"
import { describeClock, describeDevelopment } from "./session-checks.js"
import { createSite, isPrivateHost, type Site, type SiteOptions } from "./site.js"
import { parseProviders } from "./site-answers.js"

/** What only the app can tell. */
const codes: readonly FindingCode[] = ["trusted-proxies", "response-headers"]

/**
 * Asks the app what arrives at it, if it has `doctor: answerDoctor()`: with probes that are made with its secret.
 * @param secrets The newest first.
 */
export async function examineInside(
  { url, insecure }: DoctorInput,
  secrets: readonly string[],
  options: Partial<SiteOptions> = {},
): Promise<Examination> {
  const [secret] = secrets
  if (!url) return { findings: [], unchecked: [] }
  if (secret === undefined)
    return unchecked("It needs doctor: answerDoctor() in the configuration, and AUTH_SECRET in the environment.")
  const asked = { site: createSite(url, { insecure, ...options }), secret }
  const origin = await findOrigin(asked.site)
  const plain = await ask({ ...asked, origin })
  if (!plain.answer)
    return unchecked("The site has no doctor: answerDoctor() in its configuration, or another secret than AUTH_SECRET.")
  const forged = await ask({ ...asked, origin, headers: { "x-forwarded-for": forgedAddress } })
  const [small, large] = [
    await ask({ ...asked, origin, cookieKibibytes: 6 }),
    await ask({ ...asked, origin, cookieKibibytes: 12 }),
  ]
  const answers = [plain, forged, small, large].flatMap(({ answer }) => answer ?? [])
  const client = checkClient(plain.answer, forged.answer)
  const findings = [
    ...client.findings,
    ...checkSize(small, 6),
    ...(small.cookies === 0 ? [] : checkSize(large, 12)),
    ...checkProcesses(answers),
    ...describeClock(plain.answer.time, plain.receivedAt, "the app"),
    ...(plain.answer.isProduction ? [] : [describeDevelopment(url, { NODE_ENV: "not production" })]),
  ]
  return { findings, unchecked: client.unchecked }
}

function unchecked(reason: string): Examination {
  return { findings: [], unchecked: codes.map((code) => ({ code, reason })) }
}

/** The origin that the app believes it has: it accepts probes for that origin only. */
async function findOrigin(site: Site): Promise<string> {
  const answer = await site.ask("providers")
  const [provider] = (answer.status === 200 && parseProviders(answer.text)) || []
  return provider ? new URL(provider.callbackUrl).origin : site.url.origin
}

interface Asked {
  readonly site: Site
  readonly secret: string
  readonly origin: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cookieKibibytes?: number
}

interface Answered {
  /** Null if the app did not answer, or its answer did not arrive. */
  readonly answer: ProbeAnswer | null
  readonly status: number
  /** How many cookies arrived. */
  readonly cookies: number
  readonly receivedAt: number
}

async function ask({ site, secret, origin, headers = {}, cookieKibibytes = 0 }: Asked): Promise<Answered> {
  const probe = await createProbe(secret, { origin, cookieKibibytes })
  const { status, text, setCookies, receivedAt } = await site.ask("doctor", {
    headers: { ...headers, [probeHeader]: probe.value },
    body: "",
  })
  const answer = status === 200 ? await readProbeAnswer(text, secret, probe) : null
  return { answer, status, cookies: setCookies.length, receivedAt }
}

/** An address reserved for documentation (RFC 5737), so no client has it. */
const forgedAddress = "203.0.113.77"

const trustFix = (address: string) => ({ where: "config", text: `trustedProxies: ["${address}"]` }) as const

/** Whether the app knows the address of a visitor, and whether a visitor can choose it. */
function checkClient(plain: ProbeAnswer, forged: ProbeAnswer | null): Examination {
  const peer = plain.peer ?? ""
  const evidence = { peer, client: plain.client ?? plain.clientReason ?? "" }
  if (forged?.client === forgedAddress && !isOwnAddressTrusted(forged))
    return found({
      sentence:
        "The app believes the header X-Forwarded-For of every client, so that anyone can evade the rate limits.",
      fixes: [
        { where: "proxy", text: "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;" },
        { where: "config", text: "trustedProxies: [<the addresses of your proxies alone>]" },
      ],
      evidence,
    })
  const wrote = readWritten(plain)
  // The command sent no such header, so that a proxy did.
  const isOneBucket = wrote !== null && !plain.isForwarded && plain.client === plain.peer
  if (plain.client !== null && !isOneBucket) return nothing
  const isOneMachine = isOneBucket && findLast(wrote) === plain.peer
  if (isOneMachine && forged?.client === forgedAddress) return nothing
  if (isOneMachine && !isPassedOn(forged)) return unclear
  return found({
    sentence:
      wrote === null && plain.clientReason === "no-address"
        ? "The app does not know the address of its visitors, so that networks have no rate limits."
        : "The app takes the proxy for its only visitor, because the proxy is not named: networks have no rate limits, or share one.",
    fixes: listFixes(peer, wrote !== null),
    evidence,
  })
}

/** Whether a proxy left the forged address in front of the one that it saw. */
function isPassedOn(forged: ProbeAnswer | null): boolean {
  return forged !== null && (readWritten(forged)?.includes(forgedAddress) ?? false)
}

/** The app takes the proxy's address for the visitor's. */
const unclear: Examination = {
  findings: [],
  unchecked: [{ code: "trusted-proxies", reason: "Proxy and command have one address. Ask from another machine." }],
}

const found = (details: FindingDetails): Examination => ({
  findings: [createFinding("trusted-proxies", details)],
  unchecked: [],
})

/** What proxies said of the client. Null: nothing. */
const readWritten = ({ headers }: ProbeAnswer): string | null =>
  headers["x-forwarded-for"] ?? headers["forwarded"] ?? null

const findLast = (chain: string): string => chain.split(",").at(-1)?.trim() ?? ""

/** @param peer What connects to the app. Empty if the framework hides it. */
function listFixes(peer: string, isForwarded: boolean): readonly Fix[] {
  const express = { where: "code", text: `app.set("trust proxy", "${peer}") in Express` } as const
  if (peer !== "") return [trustFix(peer), express]
  const own = { where: "config", text: "clientAddress: (request) => <the address>" } as const
  return isForwarded ? [trustFix("<the address of your proxy>"), own] : [own]
}

/**
 * Whether this command may stand where a trusted proxy stands, as on the machine of the proxy: then the app is right to look
 * past its address.
 */
function isOwnAddressTrusted({ headers, peer }: ProbeAnswer): boolean {
  const own = findLast(headers["x-forwarded-for"] ?? "")
  return own !== forgedAddress && (own === peer || isPrivateHost(own))
}

function checkSize({ answer, status, cookies }: Answered, kibibytes: number): readonly Finding[] {
  if (answer && cookies > 0) return []
  return [
    createFinding("response-headers", {
      sentence: `An answer with ${kibibytes} KiB of cookies does not arrive (${status}): users whose session is large cannot sign in.`,
      fixes: [
        { where: "proxy", text: "proxy_buffer_size 32k; proxy_buffers 8 32k;" },
        { where: "config", text: 'session: { strategy: "database" } keeps cookies small' },
      ],
      evidence: { kibibytes, status, cookies },
    }),
  ]
}

/** Times of one process differ by rounding. */
const roundingSeconds = 2

function checkProcesses(answers: readonly ProbeAnswer[]): readonly Finding[] {
  const [first] = answers
  const isOther = ({ process, startedAt }: ProbeAnswer) =>
    process !== first?.process || Math.abs((startedAt ?? 0) - (first.startedAt ?? 0)) > roundingSeconds
  if (first?.limiter !== "memory" || !answers.some(isOther)) return []
  return [
    createFinding("limiter-memory", {
      severity: "warning",
      sentence:
        "Several processes answer, and each has its own counters: an attacker gets the full limit in each of them.",
      fixes: [{ where: "config", text: "rateLimit: { store } with a store that all processes share, such as Redis" }],
    }),
  ]
}
