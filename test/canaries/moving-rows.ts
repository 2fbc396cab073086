import type { AcceptedSource } from "@latchkey/core/types"
import { fixedClock } from "@latchkey/testkit"
import { betterAuth } from "../../packages/import/src/better-auth.js"
import { firebase } from "../../packages/import/src/firebase.js"
import { reader } from "../../packages/import/src/reader.js"
import { day, type FixtureCookie, readFixture, toHeader, until } from "../../packages/import/test/setup/fixtures.js"
import { made } from "../../packages/import/test/setup/made-sessions.js"
import { luciaMade, nextAuth } from "../../packages/import/test/setup/sources.js"
import type { Row, Rows } from "./rows.js"
import { secretMark } from "./stage.js"

/** A session of another library. */
interface Foreign {
  readonly cookies: readonly FixtureCookie[]
  source(): AcceptedSource
  /** With another secret. */
  other?(): AcceptedSource
  /** With a store that fails. */
  failing?(): AcceptedSource
}

/** What careless code throws. */
const quote = (value: unknown): never => {
  throw new Error(`no session ${JSON.stringify(value)}`)
}

const own: FixtureCookie = { name: "sid", value: `${secretMark}-sid-0123456789` }
const secret = "another secret of next-auth, 0123456789-ab"
const better = readFixture<{ readonly secret: string }>("better-auth@1.7.25")

const take = (name: string): Foreign => made[name] ?? { cookies: [], source: () => nextAuth.source() }

/** A session of each reader, by the name of its file in packages/import/src. */
const sessions: Readonly<Record<string, Foreign>> = {
  "authkit-nextjs": take("authkit-nextjs"),
  "better-auth": {
    ...take("Better Auth"),
    failing: () => betterAuth({ secret: better.secret, find: quote, until }),
  },
  clerk: take("Clerk"),
  "cookie-session": take("cookie-session"),
  "express-openid-connect": take("express-openid-connect"),
  "express-session": take("express-session in memory"),
  firebase: {
    cookies: [{ name: "session", value: `eyJhbGciOiJSUzI1NiJ9.${secretMark}.signature` }],
    source: () => firebase({ projectId: "project", cookie: "session", jwks: { keys: [] }, until }),
  },
  "iron-session": take("iron-session"),
  lucia: {
    cookies: luciaMade.cookies,
    source: () => luciaMade.source(),
    failing: () => luciaMade.source({ find: quote }),
  },
  "next-auth-v4": {
    cookies: nextAuth.cookies,
    source: () => nextAuth.source(),
    other: () => nextAuth.source({ secret }),
  },
  "nextjs-auth0": take("nextjs-auth0"),
  reader: {
    cookies: [own],
    source: () => reader({ cookie: "sid", until, read: () => null }),
    failing: () => reader({ cookie: "sid", until, read: quote }),
  },
  supabase: take("Supabase with HS256"),
}

const asking =
  (cookies: readonly FixtureCookie[], time = day): Row["flow"] =>
  async ({ send }) => {
    using _ = fixedClock(time)
    await send("/auth/session", { headers: { cookie: toHeader(cookies) } })
  }

function alter({ name, value }: FixtureCookie): FixtureCookie {
  const at = Math.floor(value.length / 2)
  return { name, value: `${value.slice(0, at)}${value[at] === "A" ? "B" : "A"}${value.slice(at + 1)}` }
}

const why = "the cookie is nobody's, as that of a browser from before"

function rowsOf({ cookies, source, other, failing }: Foreign): Rows {
  return {
    altered: { flow: asking(cookies.map(alter)), reason: null, why, options: { accept: [source()] } },
    "of nobody here": { flow: asking(cookies), reason: null, why, options: { accept: [source()] } },
    "long over": { flow: asking(cookies, "2027-02-01T08:00:00Z"), reason: null, why, options: { accept: [source()] } },
    ...(other && {
      "of another secret": { flow: asking(cookies), reason: null, why, options: { accept: [other()] } },
    }),
    ...(failing && {
      "that cannot be looked up": {
        flow: asking(cookies),
        reason: "callback-threw",
        options: { accept: [failing()] },
      },
    }),
  }
}

/** The rows of each reader. */
export const movingRows: Readonly<Record<string, Rows>> = Object.fromEntries(
  Object.entries(sessions).map(([name, foreign]) => [name, rowsOf(foreign)]),
)
