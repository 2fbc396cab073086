import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { TokenStore } from "@latchkey/core/access-tokens"
import { testTokenStore } from "@latchkey/testkit/adapter"
import { hasProgram, type StoreServer, startPostgres } from "@latchkey/testkit/servers"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect } from "vitest"

const root = join(import.meta.dirname, "..", "..")

/** The snippet of the guide with the store in PostgreSQL. */
function readRecipe(): string {
  const guide = readFileSync(join(root, "docs", "guides", "tokens.md"), "utf8")
  const snippets = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code)
  return snippets.find((code) => code.includes("create table kept_tokens")) ?? expect.unreachable()
}

describe.skipIf(!hasProgram("postgres"))("the token store of the guide", () => {
  let server: StoreServer
  let folder: string
  let store: TokenStore
  let closePool: (() => Promise<void>) | undefined

  beforeAll(async () => {
    server = await startPostgres()
    const recipe = readRecipe()
    const client = new Client(server.url)
    await client.connect()
    for (const [table] of recipe.matchAll(/create table .*;/g)) await client.query(table)
    await client.end()
    // Within the project, so that the snippet finds `pg`.
    folder = mkdtempSync(join(root, "node_modules", ".recipe-"))
    const file = join(folder, "recipe.mjs")
    const withAddress = recipe.replace("new Pool()", `new Pool({ connectionString: ${JSON.stringify(server.url)} })`)
    writeFileSync(file, `${stripTypeScriptTypes(withAddress)}\nexport { pool }`)
    const { store: opened, pool } = await import(pathToFileURL(file).href)
    store = opened
    const closed: Promise<unknown>[] = []
    pool.on("connect", (client: Client) => closed.push(once(client, "end")))
    closePool = async () => {
      await pool.end()
      await Promise.all(closed)
    }
  }, 60_000)
  afterAll(async () => {
    await closePool?.()
    await server?.stop()
    if (folder) rmSync(folder, { recursive: true })
  })

  testTokenStore("in PostgreSQL", () => store)
})
