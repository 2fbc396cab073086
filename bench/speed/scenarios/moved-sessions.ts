import assert from "node:assert/strict"
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto"
import { Auth, type AuthConfig } from "@latchkey/core"
import { encode } from "@latchkey/core/jwt"
import { nextAuthV4 } from "@latchkey/import/next-auth-v4"
import { sessionCookieName as name, origin, secret } from "../fixtures/host.ts"
import { startClock } from "../growth/clock.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, median, quantile } from "../report/statistics.ts"
import type { Effort, Measurement } from "../scenario.ts"

/** How much longer a check of our own session may take with `session.accept`. */
const ownGoal = 1.02
/** How much longer the first check with a cookie of next-auth 4 may take than an ordinary one. */
const firstGoal = 3
/** MIG-08: the slowest of 100 checks of others, while a network floods the app, beside the same load without cookies. */
const floodGoal = 2
/** Forged cookies, and how many of them are sent at once. */
const flood = { requests: 10_000, atOnce: 10 } as const
const warmUpRounds = 2000
const rounds = 6000

const oldName = "__Secure-next-auth.session-token"
const oldSecret = "the secret of next-auth 4, 0123456789-abcdef"
const dayMs = 24 * 60 * 60 * 1000

export const movedSessions: Measurement = {
  kind: "measurement",
  id: "moved-sessions",
  title: "Sessions of next-auth 4 (session.accept)",
  async measure(effort) {
    const base = {
      providers: [],
      secret,
      trustHost: true,
      logger: { warn: () => {}, error: () => {} },
    } satisfies AuthConfig
    const accept = [nextAuthV4({ secret: oldSecret, until: new Date(Date.now() + 30 * dayMs) })]
    const accepting: AuthConfig = { ...base, session: { accept } }
    const token = await encode({ token: { sub: "ada", name: "Ada", email: "ada@example.com" }, secret, salt: name })
    const own = `${name}=${token}`
    const times = await measureAll(effort, {
      without: () => check(base, own),
      with: () => check(accepting, own),
      first: () => check(accepting, `${oldName}=${createToken()}`),
    })
    return toReport(times, await measureFloods(accepting, own, effort))
  },
}

type Times = Readonly<Record<"without" | "with" | "first", number>>

function toReport({ without, with: own, first }: Times, { idle, forged }: Floods): Report {
  const [ownTimes, firstTimes] = [own / without, first / without]
  return {
    id: movedSessions.id,
    title: movedSessions.title,
    columns: ["microseconds", "a check", "times"],
    rows: [
      ["without session.accept", formatNumber(without * 1000), "1"],
      ["with it, our own cookie", formatNumber(own * 1000), formatNumber(ownTimes)],
      ["with it, the first check with a cookie of next-auth 4", formatNumber(first * 1000), formatNumber(firstTimes)],
      [`99th percentile, beside ${flood.atOnce} requests without cookies`, formatNumber(idle * 1000), "1"],
      [
        `99th percentile, beside ${flood.atOnce} forged cookies of next-auth 4`,
        formatNumber(forged * 1000),
        formatNumber(forged / idle),
      ],
    ],
    verdicts: [
      atMost(ownGoal, ownTimes, { goal: `our own cookie: at most ${ownGoal} times`, measured: formatNumber(ownTimes) }),
      atMost(firstGoal, firstTimes, {
        goal: `first check: at most ${firstGoal} times`,
        measured: formatNumber(firstTimes),
      }),
      atMost(floodGoal, forged / idle, {
        goal: `beside forged cookies: at most ${floodGoal} times`,
        measured: formatNumber(forged / idle),
      }),
    ],
    notes: [
      "Stateless sessions without an adapter, through `Auth`. Checks of the three kinds take turns, each timed alone; medians. Each first check has a cookie that was not seen before, made outside of the measured time; its key is derived once.",
      `The percentiles are of checks of our own session from another network, each in the middle of ${flood.atOnce} requests that one network sends at once: ${flood.requests} with a forged cookie each, of which those over the budget are refused, or as many without one.`,
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

/** The 99th percentile of a check, in milliseconds. */
interface Floods {
  readonly idle: number
  readonly forged: number
}

async function measureFloods(config: AuthConfig, own: string, effort: Effort): Promise<Floods> {
  const bursts = (effort.isShort ? flood.requests / 4 : flood.requests) / flood.atOnce
  const token = createToken()
  const times = { idle: [] as number[], forged: [] as number[] }
  const send = (cookie: string | undefined, clientAddress: string) =>
    Auth(new Request(`${origin}/auth/session`, cookie === undefined ? {} : { headers: { cookie } }), config, {
      clientAddress,
    })
  const burst = async (cookies: readonly (string | undefined)[]) => {
    const half = cookies.length / 2
    const others = cookies.slice(0, half).map((cookie) => send(cookie, "192.0.2.1"))
    const elapsedMs = startClock()
    const checked = send(own, "198.51.100.1")
    others.push(...cookies.slice(half).map((cookie) => send(cookie, "192.0.2.1")))
    assert.equal((await checked).status, 200)
    const time = elapsedMs()
    for (const answer of await Promise.all(others)) assert.equal([200, 429].includes(answer.status), true)
    return time
  }
  for (let n = 0; n < bursts; n++) {
    const toForged = (__: unknown, k: number) =>
      `${oldName}=${token.slice(0, -22)}${`${n * flood.atOnce + k}`.padStart(22, "A")}`
    times.forged.push(await burst(Array.from({ length: flood.atOnce }, toForged)))
    times.idle.push(await burst(Array.from({ length: flood.atOnce })))
  }
  return { idle: quantile(times.idle, 0.99), forged: quantile(times.forged, 0.99) }
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
