import { text } from "node:stream/consumers"
import { Auth, type AuthConfig } from "@auth/core"
import Credentials from "@auth/core/providers/credentials"
import { examine } from "@latchkey/core/diagnosis"
import Nodemailer from "@latchkey/core/providers/nodemailer"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { PostgresDialect } from "kysely"
import { createConnection } from "mysql2/promise"
import { Client } from "pg"
import { describe, expect, it } from "vitest"
import { checkStore } from "../../../packages/cli/src/doctor/store.js"
import { liveOf } from "../../../packages/cli/test/doctor/live.js"
import { codesOf, look, serve } from "../../../packages/cli/test/doctor/sites.js"
import { openDrizzleMysql, openDrizzlePg } from "./theirs/drizzle-store.js"
import { openKyselyStore } from "./theirs/kysely-store.js"
import { openPool } from "./theirs/pg-pool.js"
import { openPgStore } from "./theirs/pg-store.js"
import { openPrismaPg } from "./theirs/prisma-store.js"
import type { TheirStore } from "./theirs/their-store.js"

/** What a proxy makes of the bodies of forms. */
type ChangeBody = (body: string) => string

/** What is found at a site of `@auth/core` that takes every host, as those sites do. */
async function lookAtSite(changeBody: ChangeBody, redirect?: () => string) {
  const config: AuthConfig = {
    basePath: "/auth",
    secret: "only-for-the-tests-of-the-doctor-0",
    trustHost: true,
    providers: [Credentials({ credentials: { username: {} }, authorize: () => null })],
    logger: { error: () => {}, warn: () => {} },
    ...(redirect && { callbacks: { redirect } }),
  }
  const origin = await serve(async (request, response) => {
    const { method = "GET", url = "/", headers } = request
    const body = method === "POST" ? changeBody(await text(request)) : null
    const sent = new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]))
    const answer = await Auth(new Request(`${origin}${url}`, { method, headers: sent, body }), config)
    const cookies = answer.headers.getSetCookie()
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), "set-cookie": cookies })
    response.end(await answer.text())
  })
  return codesOf(await look(origin))
}

describe("latchkey doctor --url of a site of @auth/core", () => {
  it("finds nothing wrong with the bodies of its forms", async () => {
    const clean = (body: string) => body
    const found = await lookAtSite(clean)
    expect(found.filter((code) => /^(?:body|forms)-/.test(code))).toEqual([])
    expect(await lookAtSite(clean, () => "/elsewhere")).toEqual(found)
  })

  it("finds a proxy that drops, cuts or decodes them", async () => {
    expect(await lookAtSite(() => "")).toContain("forms-refused")
    expect(await lookAtSite((body) => body.slice(0, 4096))).toContain("body-changed")
    expect(await lookAtSite(decodeURIComponent)).toContain("body-changed")
  })
})

interface Store {
  readonly name: string
  open(url: string): Promise<TheirStore>
  /** The tables of users, sessions and emailed tokens, as statements name them. */
  readonly tables: readonly [users: string, sessions: string, tokens: string]
}

/** Runs statements, each on a connection of its own. */
type Operator = (statement: string) => Promise<void>

const overPg =
  (url: string): Operator =>
  async (statement) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(statement)
    await client.end()
  }

const overMysql =
  (url: string): Operator =>
  async (statement) => {
    const connection = await createConnection(url)
    await connection.query(statement)
    await connection.end()
  }

const inPostgres: readonly Store[] = [
  {
    name: "pg",
    open: (url) => openPgStore(url, "theirs"),
    tables: ["theirs.users", "theirs.sessions", "theirs.verification_token"],
  },
  {
    name: "kysely",
    open: (url) => openKyselyStore("postgres", new PostgresDialect({ pool: openPool(url) })),
    tables: [`"User"`, `"Session"`, `"VerificationToken"`],
  },
  {
    name: "drizzle",
    open: (url) => openDrizzlePg(url, "theirs"),
    tables: [`theirs."user"`, "theirs.session", `theirs."verificationToken"`],
  },
  { name: "prisma", open: openPrismaPg, tables: [`"User"`, `"Session"`, `"VerificationToken"`] },
]

const inMariadb: Store = {
  name: "drizzle",
  open: openDrizzleMysql,
  tables: ["`user`", "`session`", "`verificationToken`"],
}

/** Renames what the adapter needs, and looks what is found. */
async function findEach({ open, tables: [users, sessions, tokens] }: Store, server: DatabaseServer, run: Operator) {
  const { adapter, close } = await open(server.url)
  const mail = Nodemailer({ server: "smtp://127.0.0.1:9", from: "app@app.example" })
  const { config } = await examine({ providers: [mail], secret: "x".repeat(40) }, {})
  const ask = async () => (await checkStore(liveOf({ adapter, providers: config?.providers ?? [] }))).findings
  const without = async (rename: string, undo: string) => {
    await run(rename)
    const [finding] = await ask()
    await run(undo)
    return finding?.code
  }
  const inSchema = (table: string) => `${/^theirs\./.exec(table)?.[0] ?? ""}gone`
  const table = (name: string) => {
    const own = name.replace(/^theirs\./, "")
    const to = inSchema(name).replace(/^theirs\./, "")
    return without(`alter table ${name} rename to ${to}`, `alter table ${inSchema(name)} rename to ${own}`)
  }
  const found = {
    clean: await ask(),
    column: await without(
      `alter table ${users} rename column email to mail`,
      `alter table ${users} rename column mail to email`,
    ),
    sessions: await table(sessions),
    tokens: await table(tokens),
  }
  await server.stop()
  const [away] = await ask()
  await close()
  return { ...found, away }
}

const expected = {
  clean: [],
  column: "columns",
  sessions: "tables",
  tokens: "tables",
  away: { code: "store-unreachable", fixes: [{ file: "auth.ts", line: 1 }] },
}

describe.skipIf(!hasProgram("postgres")).each(inPostgres)("latchkey doctor with @auth/$name-adapter", (store) => {
  it("tells tables and columns that its methods need, in PostgreSQL, and a database that is away", async () => {
    const server = await startPostgres()
    expect(await findEach(store, server, overPg(server.url))).toMatchObject(expected)
  })
})

describe.skipIf(!hasProgram("mariadbd"))(`latchkey doctor with @auth/${inMariadb.name}-adapter`, () => {
  it("tells tables and columns that its methods need, in MariaDB, and a database that is away", async () => {
    const server = await startMariadb({ "character-set-server": "utf8mb4" })
    expect(await findEach(inMariadb, server, overMysql(server.url))).toMatchObject(expected)
  })
})
