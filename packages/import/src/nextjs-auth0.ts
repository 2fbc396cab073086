// Imported as `@latchkey/import/nextjs-auth0`.
import { createSource, type Reading, type SourceOptions } from "@latchkey/core/moving"
import type { AcceptedSource, Awaitable } from "@latchkey/core/types"
import { type Fields, isFields, readFields, readText, toDate, toExpiry, toUser } from "./formats/json.js"
import { createJweOpener, type JweOpener } from "./formats/jwe.js"
import { type SecretOption, toSecrets } from "./formats/keys.js"

/** Options of {@link nextjsAuth0}. */
export interface NextjsAuth0Options extends SourceOptions<Fields> {
  /** `AUTH0_SECRET`, or a list. */
  readonly secret: SecretOption | undefined
  /** The `sessionStore` of the client, if it has one. */
  readonly sessionStore?: Auth0SessionStore | undefined
}

/** The methods of a session store that are used. */
export interface Auth0SessionStore {
  get(id: string): Awaitable<unknown>
  readonly delete?: ((id: string) => unknown) | undefined
}

/** How both libraries of Auth0 encrypt. */
export const auth0Tokens: JweOpener = createJweOpener({ encryption: "A256GCM", salt: "", info: "JWE CEK" })

/**
 * Sessions of @auth0/nextjs-auth0 3 and 4. The subject is the user's id at Auth0: with an adapter, `owner: { provider: "auth0" }`
 * finds the user by the linked account. Those of the first releases of version 4 have no expiry inside: a copy is valid until `until`.
 * @example
 * accept: [nextjsAuth0({ secret: process.env.AUTH0_SECRET, owner: { provider: "auth0" }, until: new Date("2027-03-01") })]
 */
export function nextjsAuth0(options: NextjsAuth0Options): AcceptedSource {
  const { secret, sessionStore } = options
  const secrets = toSecrets(secret)
  const remove = sessionStore?.delete
  return createSource<Fields>(options, {
    name: "nextjs-auth0",
    cookies: ["__session", "appSession"],
    separators: ["__", "."],
    secret: { option: "secret", value: secret },
    canRead: auth0Tokens.isToken,
    async read(value): Promise<Reading<Fields>> {
      const opened = await auth0Tokens.open(value, secrets)
      if (typeof opened === "string") return { kind: opened }
      const { header, claims } = opened
      const id = readText(claims, "id")
      // Version 3 has the times in the header.
      const times = { ...header, ...claims }
      if (id === undefined || isFields(claims["user"])) return toReading(claims, times)
      const stored = await sessionStore?.get(id)
      return isFields(stored) ? toReading(stored, times, id) : { kind: "over" }
    },
    ...(remove && { end: async (key) => void (await remove.call(sessionStore, key)) }),
  })
}

function toReading(session: Fields, { exp, iat }: Fields, id?: string): Reading<Fields> {
  const user = readFields(session, "user")
  const { sid, createdAt } = readFields(session, "internal")
  return {
    kind: "found",
    claims: session,
    subject: user["sub"],
    key: id ?? (typeof sid === "string" ? sid : undefined),
    // The first releases of version 4 left the expiry to the browser.
    expires: exp === undefined && createdAt !== undefined ? undefined : toExpiry(exp),
    startedAt: toDate(createdAt ?? iat),
    user: toUser(user),
    profile: user,
  }
}
