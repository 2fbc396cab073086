import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/sqlite"
import { fakeIdentityProvider, type TestHost, testEmail, testHost } from "@latchkey/testkit"
import { beforeEach, describe, expect, it } from "vitest"
import { openTables } from "./fixtures.js"

const email = "ada@example.com"

describe.each(["jwt", "database"] as const)("sign-ins with the Drizzle adapter and %s sessions", (strategy) => {
  let host: TestHost
  let count: (table: string) => unknown
  const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "elsewhere" } })

  beforeEach(() => {
    const { db, database } = openTables()
    count = (table) => database.prepare(`select count(*) as rows from ${table}`).get()?.["rows"]
    host = testHost({
      adapter: DrizzleAdapter(db, schema),
      session: { strategy },
      rateLimit: false,
      network: { [other.origin]: other.handler },
      providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" }), testEmail()],
    })
  })

  it("reject a used email link, and an account with an unverified email of another user", async () => {
    await host.browser.signIn("email", { email })
    const link = host.mailbox.lastLink()
    await host.browser.open(link)
    expect((await host.browser.session())?.user?.email).toBe(email)
    await host.browser.signOut()
    expect((await host.browser.fetch(link)).headers.get("location")).toContain("error=Verification")
    other.signInAs({ sub: "mallory", email })
    const stranger = host.newBrowser()
    await stranger.signIn("other")
    expect([await stranger.session(), count("user"), count("account")]).toEqual([null, 1, 0])
  })

  it("find the same user by each linked account, until every session is signed out", async () => {
    await host.browser.signIn("oidc")
    const name = (await host.browser.session())?.user?.name
    other.signInAs({ sub: "elsewhere" })
    await host.browser.signIn("other")
    const elsewhere = host.newBrowser()
    await elsewhere.signIn("other")
    expect([name, (await elsewhere.session())?.user?.name]).toEqual(["Ada Lovelace", "Ada Lovelace"])
    expect([count("user"), count("account")]).toEqual([1, 2])
    for (const browser of [host.browser, elsewhere]) await browser.signOut()
    expect([await host.browser.session(), await elsewhere.session(), count("session")]).toEqual([null, null, 0])
  })
})
