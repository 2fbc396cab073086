// Imported as `@latchkey/import/cookie-session`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { readPassport } from "./express-session.js"
import { fromBase64, isEqual, toBase64url, toText } from "./formats/bytes.js"
import { type Fields, parseFields } from "./formats/json.js"
import { createMac, type SecretOption, toSecrets } from "./formats/keys.js"

/** Options of {@link cookieSession}. */
export interface CookieSessionOptions extends SourceOptions<Fields> {
  /** The `secret` or the `keys` of cookie-session. */
  readonly secret: SecretOption | undefined
}

/** What the library signs with. Weak as a hash, and sound as HMAC. */
const makeMac = createMac("SHA-1")

/**
 * Sessions of cookie-session, with Passport. For other apps, `subject` returns the id of the user. They have no expiry inside: a
 * copy is valid until `until`.
 * @example
 * session: { accept: [cookieSession({ secret: process.env.SESSION_SECRET, until: new Date("2027-03-01") })] }
 */
export function cookieSession(options: CookieSessionOptions): AcceptedSource {
  const { secret } = options
  const secrets = toSecrets(secret)
  return createSource<Fields>(options, {
    name: "cookie-session",
    cookies: ["session"],
    companions: (name) => [`${name}.sig`],
    secret: { option: "secret", value: secret },
    canRead: (value) => parseValue(value) !== null,
    async read(value, visit): Promise<Reading<Fields>> {
      const claims = parseValue(value)
      if (!claims) return { kind: "over" }
      const macs = await Promise.all(secrets.map((each) => makeMac(each, `${visit.name}=${value}`)))
      const signatures = visit.values(`${visit.name}.sig`)
      const isSigned = macs.some((mac) => signatures.some((each) => isEqual(toBase64url(mac), each)))
      return isSigned ? { kind: "found", claims, ...readPassport(claims) } : { kind: "refused" }
    },
  })
}

function parseValue(value: string): Fields | null {
  const bytes = fromBase64(value)
  return bytes && parseFields(toText(bytes.buffer))
}
