import { clockToleranceMs } from "../runtime/promise.js"
import type { AuthLevel, SessionAuth } from "../types/callbacks.js"
import type { AuthMethod } from "./proof.js"

/** One proof of who the user of a session is: the sign-in, or a confirmation during the session. */
export interface SessionProof {
  readonly methods: readonly AuthMethod[]
  /** How many factors it proved. */
  readonly factors: number
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly time: number
  /** The id of the provider of a sign-in. */
  readonly provider?: string
}

/** What a user must have proved, and how recently. */
export interface FreshnessRequirement {
  /** How old the proofs may be. Default: the option `freshFor`, 600. */
  readonly maxAgeSeconds?: number | undefined
  /** How many factors. Default: 1. */
  readonly factors?: 1 | 2 | undefined
  /** Whether one of them must be a passkey, which cannot be given to another site. Default: false. */
  readonly phishingResistant?: boolean | undefined
}

const defaultMaxAgeSeconds = 600

/**
 * The number of factors of some methods: one for a password, a mailbox or a provider, one for a code, one for a key, and
 * one more if the key verified its owner (a fingerprint or a PIN).
 */
export function countFactors(methods: readonly AuthMethod[]): number {
  const has = (...listed: readonly AuthMethod[]) => (listed.some((method) => methods.includes(method)) ? 1 : 0)
  const key = has("hwk", "swk")
  return has("pwd", "email", "fed") + has("otp", "rcv", "mfa") + key + (key === 1 ? has("user") : 0)
}

/** Whether one of the methods cannot be given to another site: a passkey signs the origin. */
function isPhishingResistant(methods: readonly AuthMethod[]): boolean {
  return methods.includes("hwk") || methods.includes("swk")
}

/** The level that the proofs of a session reach together, and since when. Null without proofs. */
export function summarize(proofs: readonly SessionProof[]): SessionAuth | null {
  if (proofs.length === 0) return null
  const level = toLevel(proofs)
  const latest = [...proofs].sort((one, other) => other.time - one.time)
  const needed = latest.findIndex((_, n) => toLevel(latest.slice(0, n + 1)) === level)
  return { time: Math.floor((latest[needed]?.time ?? 0) / 1000), methods: joinMethods(proofs), level }
}

/** The proofs that are recent enough for a requirement. One from further in the future is not: the clock was set back. */
export function findRecent(
  proofs: readonly SessionProof[],
  { maxAgeSeconds = defaultMaxAgeSeconds }: FreshnessRequirement,
  now: number,
): readonly SessionProof[] {
  return proofs.filter(({ time }) => time <= now + clockToleranceMs && now - time < maxAgeSeconds * 1000)
}

/** Whether a proof does not count because the clock of the process that wrote it is ahead. */
export function hasEarly(proofs: readonly SessionProof[], now: number): boolean {
  return proofs.some(({ time }) => time > now + clockToleranceMs)
}

/** Whether proofs are enough for a requirement, apart from their age. */
export function areEnough(
  proofs: readonly SessionProof[],
  { factors = 1, phishingResistant = false }: FreshnessRequirement,
): boolean {
  return countAll(proofs) >= factors && (!phishingResistant || isPhishingResistant(joinMethods(proofs)))
}

/** A sign-in may have proved two factors by methods that count once here, such as the codes of an app and of its host. */
function countAll(proofs: readonly SessionProof[]): number {
  return Math.max(countFactors(joinMethods(proofs)), ...proofs.map(({ factors }) => factors))
}

function toLevel(proofs: readonly SessionProof[]): AuthLevel {
  if (countAll(proofs) < 2) return 1
  return isPhishingResistant(joinMethods(proofs)) ? 3 : 2
}

function joinMethods(proofs: readonly SessionProof[]): readonly AuthMethod[] {
  return [...new Set(proofs.flatMap(({ methods }) => methods))]
}
