import { InvalidConfiguration, InvalidRequest } from "../../errors/errors.js"
import { normalizeCode } from "../../mail/secret.js"
import { lazy } from "../../runtime/cache.js"
import { systemClock } from "../../runtime/promise.js"
import type { CodeFactor } from "./factor.js"

/** Options of {@link totp}. */
export interface TotpOptions {
  /** The name of your app in the authenticator app. Default: `theme.name`, else the host. */
  readonly issuer?: string | undefined
}

/** Codes of an authenticator app. */
export interface TotpFactor extends CodeFactor {
  readonly kind: "totp"
  readonly issuer: string | undefined
  /** A new secret in base32: 160 bits, as RFC 4226 recommends. */
  createSecret(): Promise<string>
  /** The key URI of an authenticator app, and its QR code as SVG. */
  describe(account: TotpAccount): Promise<TotpDescription>
}

/** An authenticator app that was set up in another system. */
export interface ImportedTotp {
  readonly kind: "totp"
  /** Its key in base32 (RFC 4648 section 6): 10 to 128 bytes. Spaces, hyphens and padding are ignored. */
  readonly secret: string
  /** The name that the user gave it. At most 64 characters; the rest is cut off. */
  readonly label?: string | undefined
  /** Anything but 6 is refused, since the app would show codes that are not accepted. Default: 6. */
  readonly digits?: number | undefined
  /** Seconds. Anything but 30 is refused. Default: 30. */
  readonly period?: number | undefined
  /** Anything but `SHA1` is refused. Default: `SHA1`. */
  readonly algorithm?: string | undefined
}

interface TotpAccount {
  readonly secret: string
  readonly issuer: string
  /** The name of the account, such as the user's email address. */
  readonly label: string
}

interface TotpDescription {
  readonly uri: string
  /** Null without the package `uqr`. */
  readonly qr: string | null
}

/** Every authenticator app supports these; some ignore others. */
const parameters = { algorithm: "SHA1", digits: 6, period: 30 } as const

/** Bytes. Packages for RFC 6238 create keys of 10 and more; without its second factor, an account is protected worse. */
const importedKeys = { least: 10, most: 128 } as const
/** Of base32 with all that may stand between. */
const maxImportedLength = 512

/**
 * The key of an app that was set up in another system, as it is stored.
 * @throws InvalidRequest if the codes of the app would not be accepted here
 */
export function readImportedKey(given: ImportedTotp): string {
  const { kind, secret, digits = parameters.digits, period = parameters.period } = given
  if (kind !== "totp") throw new InvalidRequest('factor.kind: must be "totp"')
  if (digits !== parameters.digits) throw new InvalidRequest(`factor.digits: must be 6. ${setUpAgain}`)
  if (period !== parameters.period) throw new InvalidRequest(`factor.period: must be 30. ${setUpAgain}`)
  const algorithm = String(given.algorithm ?? parameters.algorithm)
  if (algorithm.toUpperCase().replace("-", "") !== parameters.algorithm) {
    throw new InvalidRequest(`factor.algorithm: must be "SHA1". ${setUpAgain}`)
  }
  const isShort = typeof secret === "string" && secret.length <= maxImportedLength
  const key = isShort
    ? secret
        .toUpperCase()
        .replace(/[\s-]/g, "")
        .replace(/={1,6}$/, "")
    : ""
  const bytes = Math.floor((key.length * 5) / 8)
  const isKey = /^[A-Z2-7]+$/.test(key) && ![1, 3, 6].includes(key.length % 8)
  if (isKey && bytes >= importedKeys.least && bytes <= importedKeys.most) return key
  throw new InvalidRequest(
    `factor.secret: must be a key in base32, of ${importedKeys.least} to ${importedKeys.most} bytes`,
  )
}

const setUpAgain = "Authenticator apps with other codes are not supported: the user sets up a new one"

/** Steps before and after the current one whose codes are accepted, RFC 6238 section 5.2. */
const window = 1

/** Imported with the first code: the package is an optional peer. */
const loadOtp = lazy(async () => {
  try {
    return await import("otpauth")
  } catch {
    throw new InvalidConfiguration("secondFactors: totp() needs the package otpauth. Write: npm install otpauth")
  }
})

/** Imported with the first QR code. Null where the package is not installed: people then type the secret. */
const loadQr = lazy(async () => {
  try {
    return await import("uqr")
  } catch {
    return null
  }
})

/**
 * Time-based codes of an authenticator app: six digits, a new code each 30 seconds, RFC 6238. Each is accepted once. Needs
 * the package `otpauth`; with the package `uqr` the pages show a QR code.
 */
export function totp({ issuer }: TotpOptions = {}): TotpFactor {
  return Object.freeze<TotpFactor>({
    kind: "totp",
    method: "otp",
    issuer,
    normalize: normalizeCode,
    async accept(code, { secret, lastStep }) {
      const { Secret, TOTP } = await loadOtp()
      const timestamp = systemClock()
      const generator = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) })
      const delta = generator.validate({ token: code, timestamp, window })
      if (delta === null) return null
      const step = Math.floor(timestamp / 1000 / parameters.period) + delta
      return lastStep !== null && step <= lastStep ? null : { secret, lastStep: step }
    },
    async createSecret() {
      const { Secret } = await loadOtp()
      return new Secret({ size: 20 }).base32
    },
    async describe({ secret, issuer: name, label }) {
      const { Secret, TOTP } = await loadOtp()
      const names = { issuer: withoutColons(name), label: withoutColons(label) }
      const generator = new TOTP({ ...parameters, secret: Secret.fromBase32(secret), ...names })
      const uri = generator.toString()
      const qr = await loadQr()
      return { uri, qr: qr?.renderSVG(uri, { border: 2 }) ?? null }
    },
  })
}

/** A colon ends the issuer in the label of a key URI. Some apps reject a second one, others cut the names in the wrong place. */
function withoutColons(name: string): string {
  const parts = name.split(":").map((part) => part.trim())
  return parts.join(" ").trim()
}
