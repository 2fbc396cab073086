import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { pglite } from "@latchkey/kysely-adapter/pglite"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { type MovedStore, testMovedSessions } from "./moved-sessions.suite.js"

const sqliteFile: MovedStore = {
  name: "a SQLite file",
  program: null,
  open() {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-moved-"))
    const connect = () => {
      const adapter = sqlite(join(folder, "app.db"))
      return { adapter, close: () => adapter.close() }
    }
    return { connect, stop: () => rmSync(folder, { recursive: true }) }
  },
}

/** It has one connection, in one process. */
const onPglite: MovedStore = {
  name: "PGlite",
  program: null,
  async open() {
    const database = new PGlite()
    await pglite(database).migrate()
    return { connect: () => ({ adapter: pglite(database), close: () => undefined }), stop: () => database.close() }
  },
}

testMovedSessions(sqliteFile, onPglite)
