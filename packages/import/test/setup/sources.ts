import { type LuciaSession, lucia } from "../../src/lucia.js"
import { type NextAuthV4Options, nextAuthV4 } from "../../src/next-auth-v4.js"
import { type FixtureCookie, readFixture, toHeader, until } from "./fixtures.js"

const v4 = readFixture<{ readonly secret: string; readonly stateless: { readonly cookies: readonly FixtureCookie[] } }>(
  "next-auth@4.24.15",
)
const made = readFixture<{
  readonly cookies: readonly FixtureCookie[]
  readonly rows: { readonly session: readonly { id: string; expires_at: number; user_id: string }[] }
}>("lucia@3.2.2")

/** The session of the fixture of next-auth 4, whose user is `idp|ada`. */
export const nextAuth = {
  userId: "idp|ada",
  secret: v4.secret,
  cookies: v4.stateless.cookies,
  header: toHeader(v4.stateless.cookies),
  source: (options: Partial<Omit<NextAuthV4Options, "adapter">> = {}) =>
    nextAuthV4({ secret: v4.secret, until, ...options, adapter: undefined }),
}

/** The session of the fixture of Lucia. */
export const luciaMade = {
  userId: "eadvts7otoabvtui",
  cookies: made.cookies,
  header: toHeader(made.cookies),
  find(id: string): LuciaSession | null {
    const row = made.rows.session.find((each) => each.id === id)
    return row ? { id: row.id, userId: row.user_id, expiresAt: row.expires_at } : null
  },
  source: (options: Partial<Parameters<typeof lucia>[0]> = {}) =>
    lucia({ find: (id) => luciaMade.find(id), until, ...options }),
}
