import { createHmac } from "node:crypto"
import type { AcceptedSource } from "@latchkey/core/types"
import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { cookieSession } from "../src/cookie-session.js"
import { expressSession } from "../src/express-session.js"
import { lucia } from "../src/lucia.js"
import { day, until } from "./setup/fixtures.js"
import { openMoving } from "./setup/moving-setup.js"

const secret = "a secret of another library, 0123456789"
const sign = (hash: string, text: string) => createHmac(hash, secret).update(text).digest("base64")

/** What an app without an adapter shows of a session. */
async function shownBy(accept: AcceptedSource, cookie: string): Promise<unknown> {
  using _ = fixedClock(day)
  const { host } = await openMoving("none", {
    accept: [accept],
    callbacks: { session: ({ session, token }) => ({ ...session, user: { ...session.user, id: String(token?.sub) } }) },
  })
  const answer = await host.handler(new Request("https://app.test/auth/session", { headers: { cookie } }))
  return Reflect.get(Object(await answer.json()), "user")
}

/** What Passport's starters write by `serializeUser`. */
const serialized = { id: 7, username: "ada", email: "ada@example.com" }

describe("without an adapter, the user is", () => {
  it("the object of Passport in a store of express-session", async () => {
    const session = { cookie: {}, passport: { user: serialized } }
    const store = { get: (_: string, callback: (error: unknown, found: unknown) => void) => callback(null, session) }
    const value = `s:sessionid1.${sign("sha256", "sessionid1").replace(/=+$/, "")}`
    const source = expressSession({ secret, store, until })
    const user = await shownBy(source, `connect.sid=${encodeURIComponent(value)}`)
    expect(user).toMatchObject({ id: "7", name: "ada", email: "ada@example.com" })
  })

  it("the object of Passport in a cookie of cookie-session", async () => {
    const named = { passport: { user: { ...serialized, displayName: "Ada Example" } } }
    const value = Buffer.from(JSON.stringify(named)).toString("base64")
    const signature = sign("sha1", `session=${value}`).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
    const user = await shownBy(cookieSession({ secret, until }), `session=${value}; session.sig=${signature}`)
    expect(user).toMatchObject({ id: "7", name: "Ada Example", email: "ada@example.com" })
  })

  it("the attributes that an adapter of Lucia returns", async () => {
    const id = "0123456789abcdef0123456789abcdef01234567"
    const session = { id, userId: "u-1", expiresAt: until }
    const adapter = {
      getSessionAndUser: (asked: string) =>
        [
          asked === id ? session : null,
          { id: "u-1", attributes: { username: "ada", password_hash: "$argon2id$" } },
        ] as const,
    }
    const user = await shownBy(lucia({ adapter, until }), `auth_session=${id}`)
    expect(user).toMatchObject({ id: "u-1", name: "ada" })
    expect(JSON.stringify(user)).not.toContain("argon2id")
  })

  it("nobody more than an id, if that is all that Passport keeps", async () => {
    const value = Buffer.from(JSON.stringify({ passport: { user: 7 } })).toString("base64")
    const signature = sign("sha1", `session=${value}`).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
    const user = await shownBy(cookieSession({ secret, until }), `session=${value}; session.sig=${signature}`)
    expect(user).toEqual({ id: "7" })
  })
})
