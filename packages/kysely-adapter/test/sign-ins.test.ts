import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type SqliteAdapter, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { fakeIdentityProvider, testHost } from "@latchkey/testkit"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { testSignIns } from "./sign-ins.suite.js"

describe("sign-ins with SQLite", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-sign-ins-"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  testSignIns("a file", () => {
    const adapter = sqlite(join(folder, `${crypto.randomUUID()}.db`))
    return { adapter, close: adapter.close }
  })
})

describe("a host that ends other sessions when an account is linked", () => {
  let adapter: SqliteAdapter
  beforeEach(() => {
    adapter = sqlite(":memory:")
  })
  afterEach(() => adapter.close())

  it("DBS-11: can delete the user's sessions, while the current browser gets a new one", async () => {
    const endSessions = adapter.database.prepare(`delete from "Session" where userId = ?`)
    const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "elsewhere" } })
    const host = testHost({
      adapter,
      network: { [other.origin]: other.handler },
      providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" })],
      events: { linkAccount: ({ user }) => void endSessions.run(user.id ?? null) },
    })
    const phone = host.newBrowser()
    await phone.signIn("oidc")
    await host.browser.signIn("oidc")
    expect(await phone.session()).not.toBeNull()
    await host.browser.signIn("other")
    expect([await phone.session(), (await host.browser.session())?.user?.name]).toEqual([null, "Ada Lovelace"])
    expect(adapter.database.prepare(`select count(*) as n from "Session"`).get()).toMatchObject({ n: 1 })
  })
})
