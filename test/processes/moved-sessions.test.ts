import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

testMovedSessions(sqliteFile)
