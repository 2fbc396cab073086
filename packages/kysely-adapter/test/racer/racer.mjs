// A child process that runs the tasks it receives, concurrently with others like it.
import { DatabaseSync } from "node:sqlite"
import { migrate } from "@latchkey/kysely-adapter/migrations"
import { nodeSqliteDialect, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { Kysely } from "kysely"

let adapter

const tasks = {
  open(path) {
    adapter = sqlite(path)
    return "opened"
  },
  async migrate(path) {
    const database = new DatabaseSync(path, { timeout: 5000 })
    const applied = await migrate(new Kysely({ dialect: nodeSqliteDialect(database) }))
    database.close()
    return applied.length
  },
  useTokens: (tokens) => tokens.filter((token) => adapter.useVerificationToken(token) !== null),
  consumeOnce: (ids) => ids.filter((id) => adapter.consumeOnce(id, new Date("2040-01-01T00:00:00.000Z"))),
  register: (emails) => emails.filter((email) => succeeds(() => adapter.createUser({ email, emailVerified: null }))),
  count: ({ credentialID, counters }) => {
    for (const counter of counters) adapter.updateAuthenticatorCounter(credentialID, counter)
  },
}

function succeeds(work) {
  try {
    work()
    return true
  } catch {
    return false // another process was first, which the test counts
  }
}

process.on("message", async ([task, input]) => {
  try {
    process.send({ result: (await tasks[task](input)) ?? null })
  } catch (error) {
    process.send({ error: String(error) })
  }
})
process.send({ result: "ready" })
