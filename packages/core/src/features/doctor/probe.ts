import { randomId } from "../../crypto/random.js"
import { createSealer } from "../../crypto/seal.js"

/** The header of a probe. */
export const probeHeader = "latchkey-doctor"

/** A probe is accepted for as long, and 15 seconds more where the clocks differ. Then its mark leaves the store. */
export const probeSeconds = 45

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
  const value = await createSealer([secret]).seal(probePurpose, { id, origin, cookieKibibytes }, probeSeconds)
  return { id, value }
}

/** Reads a probe. Null unless it was made with one of the secrets, for this site, and lately. */
export async function openProbe(
  value: string,
  secrets: readonly string[],
  site: string,
): Promise<(ProbeOptions & { readonly id: string }) | null> {
  const { id, origin, cookieKibibytes } = (await createSealer(secrets).open(probePurpose, value)) ?? {}
  if (typeof id !== "string" || origin !== site || typeof cookieKibibytes !== "number") return null
  return { id, origin, cookieKibibytes }
}

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
