import assert from "node:assert/strict"
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto"
import { Auth, type AuthConfig } from "@latchkey/core"
import { encode } from "@latchkey/core/jwt"
import { nextAuthV4 } from "@latchkey/import/next-auth-v4"
import { sessionCookieName as name, origin, secret } from "../fixtures/host.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, median } from "../report/statistics.ts"
import type { Effort, Measurement } from "../scenario.ts"

/** How much longer a check of our own session may take with `session.accept`. */
const ownGoal = 1.02
/** How much longer the first check with a cookie of next-auth 4 may take than an ordinary one. */
const firstGoal = 3
const warmUpRounds = 2000
const rounds = 6000

const oldSecret = "the secret of next-auth 4, 0123456789-abcdef"
const dayMs = 24 * 60 * 60 * 1000

export const movedSessions: Measurement = {
  kind: "measurement",
  id: "moved-sessions",
  title: "Sessions of next-auth 4 (session.accept)",
  async measure(effort) {
    const base = { providers: [], secret, trustHost: true, logger: { warn: () => {} } } satisfies AuthConfig
    const accept = [nextAuthV4({ secret: oldSecret, until: new Date(Date.now() + 30 * dayMs) })]
    const accepting: AuthConfig = { ...base, session: { accept } }
    const token = await encode({ token: { sub: "ada", name: "Ada", email: "ada@example.com" }, secret, salt: name })
    const own = `${name}=${token}`
    return toReport(
      await measureAll(effort, {
        without: () => check(base, own),
        with: () => check(accepting, own),
        first: () => check(accepting, `__Secure-next-auth.session-token=${createToken()}`),
      }),
    )
  },
}

type Times = Readonly<Record<"without" | "with" | "first", number>>

function toReport({ without, with: own, first }: Times): Report {
  const [ownTimes, firstTimes] = [own / without, first / without]
  return {
    id: movedSessions.id,
    title: movedSessions.title,
    columns: ["microseconds", "a check", "times"],
    rows: [
      ["without session.accept", formatNumber(without * 1000), "1"],
      ["with it, our own cookie", formatNumber(own * 1000), formatNumber(ownTimes)],
      ["with it, the first check with a cookie of next-auth 4", formatNumber(first * 1000), formatNumber(firstTimes)],
    ],
    verdicts: [
      atMost(ownGoal, ownTimes, { goal: `our own cookie: at most ${ownGoal} times`, measured: formatNumber(ownTimes) }),
      atMost(firstGoal, firstTimes, {
        goal: `first check: at most ${firstGoal} times`,
        measured: formatNumber(firstTimes),
      }),
    ],
    notes: [
      "Stateless sessions without an adapter, through `Auth`. Checks of the three kinds take turns, each timed alone; medians. Each first check has a cookie that was not seen before, made outside of the measured time; its key is derived once.",
    ],
  }
}

async function check(config: AuthConfig, cookie: string): Promise<number> {
  const request = new Request(`${origin}/auth/session`, { headers: { cookie } })
  const start = performance.now()
  const answer = await Auth(request, config)
  const time = performance.now() - start
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.getSetCookie().length > 0, true)
  return time
}

async function measureAll(
  effort: Effort,
  checks: Readonly<Record<keyof Times, () => Promise<number>>>,
): Promise<Times> {
  const times = { without: [] as number[], with: [] as number[], first: [] as number[] }
  const count = effort.isShort ? rounds / 4 : rounds
  for (let round = 0; round < warmUpRounds + count; round++) {
    for (const kind of ["without", "with", "first"] as const) {
      const time = await checks[kind]()
      if (round >= warmUpRounds) times[kind].push(time)
    }
  }
  return { without: median(times.without), with: median(times.with), first: median(times.first) }
}

const key = new Uint8Array(hkdfSync("sha256", oldSecret, "", "NextAuth.js Generated Encryption Key", 32))
const header = Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString("base64url")

/** A token as next-auth 4 makes it. */
function createToken(): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    name: "Ada",
    email: "ada@example.com",
    sub: "ada",
    iat: now,
    exp: now + 1000,
    jti: randomBytes(16).toString("hex"),
  }
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(header))
  const text = Buffer.concat([cipher.update(JSON.stringify(claims)), cipher.final()])
  return [header, "", ...[iv, text, cipher.getAuthTag()].map((part) => part.toString("base64url"))].join(".")
}
