// Runs three processes of an app on one PostgreSQL and one Redis, behind a balancer without sticky sessions, and kills one of
// them. Exits with 1 if a visitor could not sign in, lost a session, or signed in twice with something that works once.
import { type ConnectedAdapter, postgres } from "@latchkey/kysely-adapter/postgres"
import { createBrowser, overHttp } from "@latchkey/testkit"
import { findFreePort, type StoreServer, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { type Balancer, openBalancer } from "./balancer.ts"
import { type Process, startProcess } from "./processes.ts"
import { openSurroundings } from "./surroundings.ts"
import { password, read, type Town, type Visitor, visit, type Way } from "./visitor.ts"

const isShort = process.argv.includes("--short")
const visitorCount = isShort ? 60 : 600
const atOnce = 12
const wrongPasswords = 30
/** The rate limit for one account from one network. */
const wrongPasswordsAllowed = 10
const ways = ["provider", "mail", "password"] as const satisfies readonly Way[]

interface Stage {
  readonly town: Town
  readonly processes: readonly Process[]
  readonly balancer: Balancer
  readonly database: ConnectedAdapter
  /** The prefix of the table names. */
  readonly prefix: string
}

/** The server from the environment, or a new one for this run. */
async function openServer(name: string, start: () => Promise<StoreServer>): Promise<StoreServer> {
  const url = process.env[name]
  return url ? { url, stop: async () => undefined } : await start()
}

async function withStage<T>(use: (stage: Stage) => Promise<T>): Promise<T> {
  const [server, redis, surroundings] = await Promise.all([
    openServer("LATCHKEY_POSTGRES_URL", startPostgres),
    openServer("LATCHKEY_REDIS_URL", startRedis),
    openSurroundings(),
  ])
  const prefix = `run_${crypto.randomUUID().slice(0, 8)}_`
  const database = postgres(server.url, { prefix })
  await database.migrate()
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()]
  const balancer = await openBalancer(ports)
  const env = {
    NODE_ENV: "production",
    AUTH_SECRET: crypto.randomUUID() + crypto.randomUUID(),
    AUTH_URL: balancer.origin,
    PREFIX: prefix,
    POSTGRES_URL: server.url,
    REDIS_URL: redis.url,
    ISSUER: surroundings.issuer,
    CLIENT_ID: surroundings.clientId,
    CLIENT_SECRET: surroundings.clientSecret,
    INBOX: surroundings.inbox,
  }
  const processes = await Promise.all(ports.map((port) => startProcess(env, port)))
  try {
    return await use({ town: { origin: balancer.origin, surroundings }, processes, balancer, database, prefix })
  } finally {
    for (const one of processes) one.kill()
    balancer.stop()
    surroundings.stop()
    await database.migrate("none")
    for (const name of ["latchkey_migration", "latchkey_migration_lock"])
      await database.db.schema.dropTable(`${prefix}${name}`).execute()
    await database.close()
    await Promise.all([server.stop(), redis.stop()])
  }
}

/** Signs in all visitors, a few at a time, and kills one process after a third of them. */
async function letAllIn({ town, processes, database }: Stage): Promise<readonly Visitor[]> {
  const waiting = Array.from({ length: visitorCount }, (_, index) => index)
  const visitors: Visitor[] = []
  const serve = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const way = ways[index % ways.length] ?? "provider"
      const name = `visitor-${index}`
      if (way === "password")
        await database.createUser({ id: name, name, email: `${name}@corp.test`, emailVerified: new Date() })
      visitors.push(await visit(town, name, way))
      if (visitors.length === Math.floor(visitorCount / 3)) processes[1]?.kill()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, serve))
  return visitors
}

/** The number of wrong passwords for one account that all processes together checked. */
async function guess({ origin }: Town): Promise<number> {
  const tries = Array.from({ length: wrongPasswords }, async () => {
    const browser = createBrowser({ origin, handler: overHttp })
    const page = await browser.signIn("credentials", { email: "visitor-2@corp.test", password: `not ${password}` })
    return page.url.searchParams.get("error") === "CredentialsSignin"
  })
  return (await Promise.all(tries)).filter((isLookedAt) => isLookedAt).length
}

/** Signs out every tenth visitor. Counts those who still have a session anywhere, and others who lost theirs. */
async function lookAgain(visitors: readonly Visitor[]): Promise<{ stillIn: number; signedOut: number }> {
  const counts = { stillIn: 0, signedOut: 0 }
  for (const [index, { browser, email }] of visitors.entries()) {
    const leaves = index % 10 === 0
    const before = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
    if (leaves) await read(() => browser.signOut())
    // Once per process.
    for (let asked = 0; asked < 3; asked++) {
      const headers = { cookie: before.join("; ") }
      const session = await read(async () => await (await fetch(`${browser.origin}/auth/session`, { headers })).text())
      const isIn = session.includes(email)
      if (leaves && isIn) counts.stillIn += 1
      if (!leaves && !isIn) counts.signedOut += 1
    }
  }
  return counts
}

async function countRows({ database, prefix }: Stage, table: "User" | "Account"): Promise<number> {
  // as: the same tables, with the prefix of this run
  const counted = database.db.selectFrom(`${prefix}${table}` as "User").select(({ fn }) => fn.countAll().as("count"))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

interface Finding {
  readonly what: string
  readonly found: number
  /** Undefined for figures without a limit. */
  readonly isRight?: boolean
}

async function run(stage: Stage): Promise<readonly Finding[]> {
  const visitors = await letAllIn(stage)
  const lostInFlows = stage.balancer.lost()
  const looked = await guess(stage.town)
  const { stillIn, signedOut } = await lookAgain(visitors)
  const [users, accounts] = [await countRows(stage, "User"), await countRows(stage, "Account")]
  const byProvider = Math.ceil(visitorCount / ways.length)
  const isIn = visitors.filter((visitor) => visitor.isIn).length
  const startedOver = sum(visitors.map((visitor) => visitor.startedOver))
  const twice = sum(visitors.map((visitor) => visitor.spentTwice))
  const busy = [...stage.balancer.answered.values()]
  return [
    { what: "visitors who signed in", found: isIn, isRight: isIn === visitorCount },
    { what: "users in the database", found: users, isRight: users === visitorCount },
    { what: "linked accounts in the database", found: accounts, isRight: accounts === byProvider },
    { what: "answers lost with the killed process", found: lostInFlows },
    { what: "sign-ins begun again because of that", found: startedOver, isRight: startedOver <= lostInFlows },
    { what: "codes and links that let somebody in, brought again", found: sum(visitors.map(({ spent }) => spent)) },
    { what: "of them let in more than once", found: twice, isRight: twice === 0 },
    { what: "visitors who were signed out", found: signedOut, isRight: signedOut === 0 },
    { what: "visitors who left and are still in", found: stillIn, isRight: stillIn === 0 },
    {
      what: `wrong passwords looked at, of ${wrongPasswords} (budget: ${wrongPasswordsAllowed})`,
      found: looked,
      isRight: looked === wrongPasswordsAllowed,
    },
    ...busy.map((found, index) => ({
      what: `requests that process ${index + 1} answered${index === 1 ? " before it was killed" : ""}`,
      found,
      isRight: found > 0,
    })),
  ]
}

const findings = await withStage(run)
for (const { what, found, isRight } of findings)
  console.log(
    `${isRight === undefined ? "      " : isRight ? "ok    " : "WRONG "} ${String(found).padStart(6)}  ${what}`,
  )
process.exit(findings.some(({ isRight }) => isRight === false) ? 1 : 0)
