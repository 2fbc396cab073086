import { isEqualInConstantTime, macHex } from "../../crypto/hash.js"
import { randomId } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"

/** The header of a probe. */
export const probeHeader = "latchkey-doctor"

/** A probe is accepted for as long, and 15 seconds more where the clocks differ. Then its mark leaves the store. */
const probeSeconds = 45

/** What a probe asks for. */
export interface ProbeOptions {
  /** The site that it is for, as the site sees itself: another with the same secret does not answer. */
  readonly origin: string
  /** The KiB of `Set-Cookie` headers that the answer has. 0 to 12. */
  readonly cookieKibibytes: number
}

/** A probe, and its id. */
export interface Probe {
  readonly id: string
  /** The value of the header {@link probeHeader} of a `POST` to `<basePath>/doctor`. */
  readonly value: string
}

/** What arrived at the app. Only those who know the secret can read it. */
export interface ProbeAnswer {
  /** Where the app takes itself to be. */
  readonly origin: string
  /** The headers that name a host, a scheme or an address, as they arrived. */
  readonly headers: Readonly<Record<string, string>>
  /** The other end of the connection, if the app knows it. */
  readonly peer: string | null
  /** Whether the framework evaluated the headers of proxies, so that `peer` is the visitor. */
  readonly isForwarded: boolean
  /** The address that counts for rate limits, or why there is none. */
  readonly client: string | null
  readonly clientReason: string | null
  /** Names and sizes of the cookies. */
  readonly cookies: Readonly<Record<string, number>>
  /** Tells processes apart. Empty on runtimes without processes. */
  readonly process: string
  readonly startedAt: number | null
  readonly runtime: string
  /** The app's time, in milliseconds since 1970. */
  readonly time: number
  readonly isProduction: boolean
  /** Where rate limits are counted. */
  readonly limiter: "off" | "memory" | "store"
  /** The methods of the adapter. */
  readonly adapter: readonly string[]
}

const probePurpose = "doctor:probe"
const answerPurpose = "doctor:answer"

/** Creates a probe for `POST <basePath>/doctor`. It works once, within 45 seconds. */
export async function createProbe(secret: string, { origin, cookieKibibytes }: ProbeOptions): Promise<Probe> {
  const id = randomId(24)
  const text = `${id}.${(Date.now() + probeSeconds * 1000).toString(36)}.${cookieKibibytes}`
  return { id, value: `${text}.${await macHex(secret, probePurpose, `${text} ${origin}`)}` }
}

/** The id of a probe, the millisecond in base 36 when it expires, and the KiB of cookies; then the MAC of these and of the site. */
const shape = /^([\w-]{24}\.[0-9a-z]{8,9}\.\d{1,4})\.([0-9a-f]{64})$/
const noText = `${"-".repeat(24)}.00000000.0`
const noMac = "0".repeat(64)

/** A probe that was made with one of the secrets, for this site, and lately. */
export interface OpenedProbe extends Omit<ProbeOptions, "origin"> {
  readonly id: string
  /** Milliseconds since 1970. Nothing accepts it afterwards. */
  readonly forgettableAt: number
}

/**
 * Reads a probe; null for any other value. It takes the same work for every value, and without one: whoever does not know the
 * secret learns from the time of an answer neither whether the app answers probes nor what is wrong with theirs.
 */
export async function openProbe(
  value: string | null,
  secrets: readonly string[],
  site: string,
): Promise<OpenedProbe | null> {
  const [, text = noText, mac = noMac] = shape.exec(value ?? "") ?? []
  let isOurs = false
  for (const secret of secrets) {
    const own = await macHex(secret, probePurpose, `${text} ${site}`)
    isOurs = isEqualInConstantTime(own, mac) || isOurs
  }
  return isOurs ? readText(text) : null
}

function readText(text: string): OpenedProbe | null {
  const [id = "", expires = "", kibibytes] = text.split(".")
  const forgettableAt = Number.parseInt(expires, 36) + skewMs
  const msLeft = forgettableAt - Date.now()
  return msLeft < 0 || msLeft > maxAheadMs ? null : { id, forgettableAt, cookieKibibytes: Number(kibibytes) }
}

const skewMs = 15_000
/** The clock of an app may be wrong: doctor says so, if the app answers. */
const maxAheadMs = 600_000

/** Seals an answer for the probe with an id. */
export async function sealAnswer(answer: ProbeAnswer, id: string, secrets: readonly string[]): Promise<string> {
  return createSealer(secrets).seal(answerPurpose, { id, answer }, probeSeconds)
}

/** Reads the answer to a probe from the text of a body. Null unless the site sealed it for this probe. */
export async function readProbeAnswer(text: string, secret: string, probe: Probe): Promise<ProbeAnswer | null> {
  const { answer: sealed } = parseObject(text)
  const { id, answer } = (await createSealer([secret]).open(answerPurpose, String(sealed))) ?? {}
  // as: `sealAnswer` made it, since nobody else has the secret.
  return id === probe.id ? (answer as ProbeAnswer) : null
}

function parseObject(text: string): { readonly answer?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {} // A proxy answered with a page.
  }
}
