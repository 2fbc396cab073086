import assert from "node:assert/strict"
import { availableParallelism } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { Auth } from "@latchkey/core"
import Passwords, { type AddressedMail } from "@latchkey/core/providers/passwords"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { type Browser, createBrowser } from "@latchkey/testkit"
import { memoryAdapter } from "@latchkey/testkit/adapter"
import { origin, password, secret, user } from "../fixtures/host.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, median, quantile } from "../report/statistics.ts"
import type { Measurement } from "../scenario.ts"

const signIns = 300
const idleChecks = 1000
/** Between two checks, as of a few hundred visitors a second. */
const pauseMs = 2
const goalMs = 50
/** Each hash takes 19 MiB. */
const hashBytes = 19 * 2 ** 20
/** What else 300 requests and their answers take until they are collected. */
const otherBytes = 250e6

export const passwordSignIns: Measurement = {
  kind: "measurement",
  id: "password-sign-ins",
  title: `${signIns} sign-ins by password at once, and session checks meanwhile`,
  async measure() {
    const app = await openApp()
    const idle = await checkUntil(app, sleep(idleChecks * pauseMs))
    const before = process.memoryUsage().rss
    const burst = signInAtOnce(app)
    const busy = await checkUntil(app, burst)
    const statuses = await burst
    return toReport({ idle, busy, statuses, grownBytes: busy.mostBytes - before })
  },
}

interface App {
  readonly config: Omit<AuthConfig, "raw">
  readonly signedIn: Browser
  openBrowser(): Browser
}

/** A host with the default costs, and one user. */
async function openApp(): Promise<App> {
  const mails: AddressedMail[] = []
  const config: Omit<AuthConfig, "raw"> = {
    adapter: memoryAdapter(),
    basePath: "/auth",
    secret,
    trustHost: true,
    useSecureCookies: true,
    // The budgets would end the burst before the hashing does.
    rateLimit: false,
    logger: { error: () => {}, warn: () => {} },
    session: { strategy: "jwt", track: trackSessions() },
    providers: [Passwords({ mail: { send: (mail) => void mails.push(mail) }, breached: false })],
  }
  const openBrowser = () => createBrowser({ handler: (request) => Auth(request, config), origin })
  const signedIn = openBrowser()
  const { email } = user
  await post(signedIn, "password/sign-up", { email, password })
  await post(signedIn, "password/sign-up", { code: /^\d{6}$/m.exec(mails.at(-1)?.text ?? "")?.[0] ?? "" })
  return { config, signedIn, openBrowser }
}

async function post(browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), ...fields })
  return browser.fetch(`${origin}/auth/${path}`, { method: "POST", body })
}

async function signInAtOnce({ openBrowser }: App): Promise<readonly number[]> {
  const browsers = Array.from({ length: signIns }, openBrowser)
  const answers = await Promise.all(
    browsers.map((browser) => post(browser, "callback/password", { email: user.email, password })),
  )
  return answers.map(({ status }) => status)
}

interface Checks {
  readonly times: readonly number[]
  readonly mostBytes: number
}

/** Checks a session again and again until some work is done. */
async function checkUntil({ config, signedIn }: App, work: Promise<unknown>): Promise<Checks> {
  const cookie = signedIn.cookies
    .list()
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ")
  const times: number[] = []
  let mostBytes = 0
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    const start = performance.now()
    // It is due now: what the checks before it delayed counts, too.
    await sleep(pauseMs)
    const answer = await Auth(new Request(`${origin}/auth/session`, { headers: { cookie } }), config)
    times.push(performance.now() - start - pauseMs)
    assert.match(await answer.text(), /"user"/)
    mostBytes = Math.max(mostBytes, process.memoryUsage().rss)
  }
  return { times, mostBytes }
}

interface Measured {
  readonly idle: Checks
  readonly busy: Checks
  readonly statuses: readonly number[]
  readonly grownBytes: number
}

function toReport({ idle, busy, statuses, grownBytes }: Measured): Report {
  const toRow = (name: string, { times }: Checks) => [
    name,
    String(times.length),
    formatNumber(median(times)),
    formatNumber(quantile(times, 0.99)),
  ]
  const count = (status: number) => statuses.filter((each) => each === status).length
  const slowest = quantile(busy.times, 0.99)
  const bytes = hashBytes * availableParallelism() + otherBytes
  const toMegabytes = (value: number) => `${(value / 1e6).toFixed(0)} MB`
  return {
    id: passwordSignIns.id,
    title: passwordSignIns.title,
    columns: ["session checks", "count", "ms, median", "ms, p99"],
    rows: [toRow("before", idle), toRow("meanwhile", busy)],
    verdicts: [
      atMost(goalMs, slowest, { goal: `p99 under ${goalMs} ms`, measured: `${formatNumber(slowest)} ms` }),
      atMost(bytes, grownBytes, {
        goal: `memory grows by less than ${toMegabytes(bytes)}`,
        measured: toMegabytes(grownBytes),
      }),
    ],
    notes: [
      `${count(302)} sign-ins were answered, and ${count(429)} were refused with 429: as many hashes are computed at once as there are processors, and 50 wait. A check begins 2 ms after the one before it; the time is that of the check and of the delay until it began.`,
    ],
  }
}
