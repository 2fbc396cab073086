import { fixedClock } from "@latchkey/testkit"
import { memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/setup/failure-of.js"
import { type SessionHost, sessionCookie, sessionSetup, signedIn, vera } from "../../test/setup/session-setup.js"
import { readCookies } from "../http/cookies.js"
import type { AdapterSession } from "../types/adapter.js"
import { databaseSessions } from "./database.js"

const { name } = sessionCookie
const day = 24 * 60 * 60
const walt = { ...vera, id: "walt", name: "Walt", email: "walt@corp.test" }

const setUp = (host?: SessionHost) => sessionSetup(databaseSessions, host)
const down = () => Promise.reject(new Error("connection lost"))

describe("database sessions: signing in again", () => {
  it.each([{}, { isSignedInAlready: true }, { user: walt }])(
    "DBS-11: ends the former session of the browser: %j",
    async (changes) => {
      const { start, browser, adapter, check } = setUp()
      await adapter.createUser(walt)
      await start()
      const former = browser.get(name) ?? ""
      await start(changes)
      expect(browser.get(name)).not.toBe(former)
      expect(await adapter.getSessionAndUser(former)).toBeNull()
      expect((await check()).session?.user?.name).toBe(changes.user?.name ?? "Vera")
    },
  )

  it("DBS-11: ends the former session also behind a session that a sibling domain planted", async () => {
    const { sessions, start, browser, adapter } = setUp()
    await adapter.createUser(walt)
    await start()
    const former = browser.get(name) ?? ""
    const expires = new Date(Date.now() + day * 1000)
    await adapter.createSession({ sessionToken: "planted-session-of-walt", userId: walt.id, expires })
    await sessions.start(signedIn(), {
      cookies: readCookies(`${name}=planted-session-of-walt; ${name}=unknown; ${name}=${former}`),
    })
    expect(await adapter.getSessionAndUser(former)).toBeNull()
  })

  it("keeps the former session when the new one cannot be created", async () => {
    const stored = memoryAdapter()
    let isDown = false
    const createSession = (row: AdapterSession) => (isDown ? down() : stored.createSession(row))
    const { start, browser } = setUp({ adapter: { ...stored, createSession } })
    await stored.createUser(vera)
    await start()
    const former = browser.get(name) ?? ""
    isDown = true
    expect((await failureOf(start())).error.type).toBe("AdapterError")
    expect(await stored.getSessionAndUser(former)).not.toBeNull()
  })

  it("keeps the app's own columns and the expiry when it renews the row, but not the row's id", async () => {
    const rows: unknown[] = []
    const stored = memoryAdapter()
    const { start, browser } = setUp({
      adapter: {
        ...stored,
        createSession: (row) => {
          rows.push(row)
          return stored.createSession(row)
        },
        getSessionAndUser: async (token) => {
          const found = await stored.getSessionAndUser(token)
          const own = { id: "row-1", tenant: "corp" }
          return found && { ...found, session: { ...found.session, ...own } }
        },
      },
    })
    await stored.createUser(vera)
    await start()
    await start({ isSignedInAlready: true })
    const [first, second] = rows as { expires: Date }[]
    expect(second).toEqual({ userId: "vera", tenant: "corp", sessionToken: browser.get(name), expires: first?.expires })
  })
})

describe("database sessions: extension", () => {
  it.each([true, false])(
    "ends with a row that is deleted before its extension, adapter returns the row: %s",
    async (returns) => {
      using clock = fixedClock()
      const stored = memoryAdapter()
      const { start, browser, check, events } = setUp({
        adapter: {
          ...stored,
          updateSession: async (row) => {
            await stored.deleteSession(row.sessionToken)
            const updated = await stored.updateSession(row)
            return returns ? updated : undefined
          },
        },
      })
      await stored.createUser(vera)
      await start()
      clock.advance({ seconds: day })
      expect((await check()).session).toBeNull()
      expect([browser.names(), events.names()]).toEqual([[], []])
    },
  )

  it("looks again after an update that returned nothing, and keeps the session", async () => {
    using clock = fixedClock()
    const stored = memoryAdapter()
    const updateSession = async (row: Parameters<typeof stored.updateSession>[0]) => {
      await stored.updateSession(row)
      return undefined
    }
    const { start, check } = setUp({ adapter: { ...stored, updateSession } })
    await stored.createUser(vera)
    await start()
    clock.advance({ seconds: day })
    expect((await check()).session?.user?.name).toBe("Vera")
  })
})
