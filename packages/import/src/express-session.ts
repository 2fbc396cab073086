// Imported as `@latchkey/import/express-session`.
import { createSource, type FoundReading, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { isEqual, toBase64 } from "./formats/bytes.js"
import { type Fields, isFields, parseFields, readFields, toExpiry, toUser } from "./formats/json.js"
import { createMac, type SecretOption, toSecrets } from "./formats/keys.js"
import { destroyInStore, getFromStore, type SessionStore } from "./formats/store.js"

/** Options of {@link expressSession}. */
export interface ExpressSessionOptions extends SourceOptions<Fields> {
  /** The secret of express-session, or its list. */
  readonly secret: SecretOption | undefined
  /** The store that express-session had: every connect-* store. */
  readonly store: SessionStore
}

const makeMac = createMac("SHA-256")

/**
 * Sessions of express-session, with Passport. For other apps, `subject` returns the id of the user.
 * @example
 * session: { accept: [expressSession({ secret: process.env.SESSION_SECRET, store, until: new Date("2027-03-01") })] }
 */
export function expressSession(options: ExpressSessionOptions): AcceptedSource {
  const { secret, store } = options
  const secrets = toSecrets(secret)
  return createSource<Fields>(options, {
    name: "express-session",
    cookies: ["connect.sid"],
    secret: { option: "secret", value: secret },
    canRead: (value) => parseSigned(value) !== null,
    validate: () =>
      typeof store?.get === "function" ? null : { option: "store", sentence: "must be the store of express-session" },
    async read(value): Promise<Reading<Fields>> {
      const signed = parseSigned(value)
      if (!signed) return { kind: "over" }
      const { id, signature } = signed
      const macs = await Promise.all(secrets.map((each) => makeMac(each, id)))
      if (!macs.some((mac) => isEqual(toBase64(mac).replace(/={1,2}$/, ""), signature))) return { kind: "refused" }
      const found = await getFromStore(store, id)
      const session = typeof found === "string" ? parseFields(found) : found
      return isFields(session) ? toReading(session, id) : { kind: "over" }
    },
    ...(store?.destroy && { end: (key) => destroyInStore(store, key) }),
  })
}

/** `s:<id>.<HMAC in base64 without padding>`. */
function parseSigned(value: string): { readonly id: string; readonly signature: string } | null {
  const [, id, signature] = /^s:(.{8,255})\.([A-Za-z0-9+/]{43})$/.exec(value) ?? []
  return id !== undefined && signature !== undefined ? { id, signature } : null
}

function toReading(session: Fields, key: string): Reading<Fields> {
  const { expires } = readFields(session, "cookie")
  return {
    kind: "found",
    claims: session,
    ...readPassport(session),
    key,
    // A session of the browser has none.
    ...(expires !== null && expires !== undefined && expires !== false && { expires: toExpiry(expires) }),
  }
}

/** What `passport.serializeUser` returned: an id, or an object that has it. */
export function readPassport(session: Fields): Required<Pick<FoundReading, "subject" | "user">> {
  const { user } = readFields(session, "passport")
  return isFields(user) ? { subject: user["id"], user: toUser(user) } : { subject: user, user: {} }
}
