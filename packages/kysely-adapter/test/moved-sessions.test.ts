import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSource } from "@latchkey/core/moving"
import { signOutEverywhere, trackSessions } from "@latchkey/core/sessions"
import { type SqliteAdapter, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { type Browser, type TestHost, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const secret = "the secret that both processes have, 0123456789"
const userId = "5a3f0a6e-64c5-4a5e-9f0e-7b0f3f2f6a01"

const former = () =>
  createSource(
    { until: new Date(Date.now() + 86_400_000) },
    {
      name: "former",
      cookies: ["sid"],
      read: (value) => (value === "s-1" ? { kind: "found", claims: null, subject: userId } : { kind: "over" }),
    },
  )

type Kind = readonly [strategy: "jwt" | "database", tracking: { readonly track?: ReturnType<typeof trackSessions> }]

const tracked: readonly Kind[] = [
  ["jwt", { track: trackSessions({ checkEvery: 0 }) }],
  ["database", { track: trackSessions({ checkEvery: 0 }) }],
]
const kinds: readonly Kind[] = [["jwt", {}], ["database", {}], ...tracked]

let folder: string
const adapters: SqliteAdapter[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "latchkey-moved-"))
})
afterEach(() => {
  for (const adapter of adapters.splice(0)) adapter.close()
  rmSync(folder, { recursive: true })
})

/** What a process has: the file is all that it shares with others. */
function start([strategy, tracking]: Kind): TestHost {
  const adapter = sqlite(join(folder, "app.db"))
  adapters.push(adapter)
  if (!adapter.getUser(userId)) {
    adapter.createUser({ id: userId, email: "ada@example.com", name: "Ada", emailVerified: null })
  }
  return testHost({ adapter, secret, session: { strategy, accept: [former()], ...tracking }, providers: [] })
}

function arrive(host: TestHost): Browser {
  const browser = host.newBrowser()
  browser.cookies.set("sid", "s-1", { path: "/" })
  return browser
}

const emailAt = async (host: TestHost): Promise<string | null> => (await arrive(host).session())?.user?.email ?? null

const ended = [null, null, null]

describe.each(kinds)("sessions of another library, with two processes on one SQLite file (%s, %o)", (...kind) => {
  it("MIG-12: go on in both, as one session", async () => {
    const hosts = [start(kind), start(kind)]
    const emails = await Promise.all([...hosts, ...hosts, ...hosts].map(emailAt))
    expect(emails).toEqual(emails.map(() => "ada@example.com"))
    const records = hosts.flatMap(({ logger }) => logger.records)
    expect(records.filter((record) => record.kind === "session-moved")).toHaveLength(1)
  })

  it("MIG-01: end in both with the sign-out at one, and stay ended after a restart", async () => {
    const [first, second] = [start(kind), start(kind)]
    const browser = arrive(first)
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    await browser.signOut()
    expect([await emailAt(first), await emailAt(second), await emailAt(start(kind))]).toEqual(ended)
  })
})

describe.each(tracked)("tracked sessions, with two processes on one SQLite file (%s)", (...kind) => {
  it("MIG-01: end in both when all sessions of the user are ended", async () => {
    const [first, second] = [start(kind), start(kind)]
    expect(await emailAt(first)).toBe("ada@example.com")
    await signOutEverywhere(first.config, userId)
    expect([await emailAt(first), await emailAt(second), await emailAt(start(kind))]).toEqual(ended)
  })
})
