// Prints whether times tell which addresses have an account: the medians of a sign-in, a sign-up and a forgotten password,
// for a known and an unknown address in turns. No test asserts them: they are those of one machine. Needs `npm run build`.
// node scripts/password-times.mjs [pairs, by default 1000]
import { performance } from "node:perf_hooks"

const packages = new URL("../packages/", import.meta.url)
const load = (path) => import(new URL(path, packages).href)
const { Auth } = await load("core/dist/bundle/index.js")
const { Passwords } = await load("core/dist/bundle/providers/passwords.js")
const { setPassword } = await load("core/dist/bundle/features/passwords/index.js")
const { trackSessions } = await load("core/dist/bundle/sessions/index.js")
const { memoryAdapter } = await load("testkit/dist/index.js")

const pairs = Number(process.argv[2] ?? 1000)
const [known, unknown] = ["ada@example.com", "eve@example.com"]
const password = "correct horse battery"
const adapter = memoryAdapter()
const silent = { error() {}, warn() {}, debug() {} }
const config = {
  secret: crypto.randomUUID() + crypto.randomUUID(),
  trustHost: true,
  adapter,
  logger: silent,
  session: { track: trackSessions() },
  providers: [Passwords({ mail: { send: () => {} }, breached: false })],
}
await adapter.createUser({ id: "u-ada", email: known, emailVerified: new Date() })
await setPassword(config, "u-ada", password)

const base = "https://app.test/auth"
const page = await Auth(new Request(`${base}/csrf`), config)
const { csrfToken } = await page.json()
const cookie = page.headers
  .getSetCookie()
  .map((line) => line.split(";", 1)[0])
  .join("; ")

async function time(path, fields) {
  const body = new URLSearchParams({ csrfToken, ...fields })
  const request = new Request(`${base}/${path}`, { method: "POST", body, headers: { cookie } })
  const begin = performance.now()
  const response = await Auth(request, config)
  await response.text()
  if (response.status !== 302) throw new Error(`${path} answered ${response.status}`)
  return performance.now() - begin
}

function median(times) {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]
}

const actions = {
  "sign-in": (email) => time("callback/password", { email, password: "another staple of words" }),
  "sign-up": (email) => time("password/sign-up", { email, password: "another staple of words" }),
  forgot: (email) => time("password/forgot", { email }),
}

for (const [name, act] of Object.entries(actions)) {
  const times = { [known]: [], [unknown]: [] }
  for (let pair = -10; pair < pairs; pair++) {
    // In turns, and each first as often: a machine that becomes slower must not look like a difference.
    for (const email of pair % 2 === 0 ? [known, unknown] : [unknown, known]) {
      const taken = await act(email)
      if (pair >= 0) times[email].push(taken)
    }
  }
  const [one, other] = [median(times[known]), median(times[unknown])]
  const spread = median(times[known].map((each) => Math.abs(each - one)))
  console.log(
    `${name}: known ${one.toFixed(2)} ms, unknown ${other.toFixed(2)} ms, difference ${(one - other).toFixed(2)} ms, ` +
      `median deviation ${spread.toFixed(2)} ms, ${pairs} pairs`,
  )
}
