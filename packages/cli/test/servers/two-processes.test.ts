import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { latchkey } from "../command.js"

const names = ["0001_create_tables", "0002_passkeys", "0003_proven_emails", "0004_features", "0005_account_changes"]

describe("latchkey migrate in several processes at once", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-cli-"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const expectOnce = async (url: string): Promise<void> => {
    const config = { url, tables: { layout: "linked", ids: "integer" } }
    writeFileSync(join(folder, "latchkey.config.mjs"), `export default ${JSON.stringify(config)}`)
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => latchkey(["migrate"], folder)))
    expect(outcomes.map(({ code, errors }) => [code, errors])).toEqual(outcomes.map(() => [0, ""]))
    const outputs = outcomes.map((outcome) => outcome.output).toSorted()
    expect(outputs).toEqual([
      "Nothing to do.\n",
      "Nothing to do.\n",
      names.map((name) => `applied: ${name}\n`).join(""),
    ])
  }

  it("creates the tables of a new file once", async () => {
    await expectOnce("sqlite:app.db")
  }, 60_000)

  it.skipIf(!hasProgram("postgres"))(
    "creates the tables in PostgreSQL once",
    async () => {
      const server = await startPostgres()
      try {
        await expectOnce(server.url)
      } finally {
        await server.stop()
      }
    },
    60_000,
  )

  it.skipIf(!hasProgram("mariadbd"))(
    "creates the tables in MariaDB once",
    async () => {
      const server = await startMariadb()
      try {
        await expectOnce(server.url)
      } finally {
        await server.stop()
      }
    },
    60_000,
  )
})
