// Imported as `@latchkey/import/express-openid-connect`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource } from "@latchkey/core/types"
import { type Fields, isFields, parseFields, readFields, readText, toDate, toExpiry, toUser } from "./formats/json.js"
import { readUnverified } from "./formats/jwk-set.js"
import { type SecretOption, toSecrets } from "./formats/keys.js"
import { destroyInStore, getFromStore, type SessionStore } from "./formats/store.js"
import { auth0Tokens } from "./nextjs-auth0.js"

/** Options of {@link expressOpenidConnect}. */
export interface ExpressOpenidConnectOptions extends SourceOptions<Fields> {
  /** `SECRET`, or a list. */
  readonly secret: SecretOption | undefined
  /** The `session.store`, if it has one. The cookie is then the id of the session. */
  readonly store?: SessionStore | undefined
}

/** The library generates 32 characters. Shorter ids can be guessed. */
const idPattern = /^[\w-]{20,255}$/

/**
 * Sessions of express-openid-connect. The subject is the user's id at the provider: with an adapter,
 * `owner: { provider: "auth0" }` finds the user by the linked account.
 * @example
 * accept: [expressOpenidConnect({ secret: process.env.SECRET, owner: { provider: "auth0" }, until: new Date("2027-03-01") })]
 */
export function expressOpenidConnect(options: ExpressOpenidConnectOptions): AcceptedSource {
  const { secret, store } = options
  const secrets = toSecrets(secret)
  return createSource<Fields>(options, {
    name: "express-openid-connect",
    cookies: ["appSession"],
    secret: { option: "secret", value: secret },
    canRead: (value) => (store ? idPattern.test(value) : auth0Tokens.isToken(value)),
    async read(value): Promise<Reading<Fields>> {
      if (store) return idPattern.test(value) ? readStored(store, value) : { kind: "over" }
      const opened = await auth0Tokens.open(value, secrets)
      return typeof opened === "string" ? { kind: opened } : toReading(opened.claims, opened.header)
    },
    ...(store?.destroy && { end: (key) => destroyInStore(store, key) }),
  })
}

async function readStored(store: SessionStore, id: string): Promise<Reading<Fields>> {
  const found = await getFromStore(store, id)
  const session = typeof found === "string" ? parseFields(found) : found
  return isFields(session)
    ? toReading(readFields(session, "data"), readFields(session, "header"), id)
    : { kind: "over" }
}

/** The ID token is in an encrypted cookie or in a store, and was verified when it came there. */
function toReading(data: Fields, { iat, exp }: Fields, id?: string): Reading<Fields> {
  const claims = readUnverified(data["id_token"])
  if (!claims) return { kind: "over" }
  return {
    kind: "found",
    claims,
    subject: claims["sub"],
    key: id ?? readText(data, "sid") ?? readText(claims, "sid"),
    expires: toExpiry(exp),
    startedAt: toDate(iat),
    user: toUser(claims),
    profile: claims,
  }
}
